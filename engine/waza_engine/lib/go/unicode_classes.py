r"""Translate the names that Go accepts in `\p{...}` to RE2 (docs/reference/waza-graders.md, section 13.6).

Go ignores case, blanks, `_` and `-` in names, and accepts the long names of general categories. RE2 accepts only the
short names and the scripts, in their exact spelling.
"""

import unicodedata
from functools import cache

import re2

_CATEGORIES = {
    "c": "C other", "cc": "Cc control cntrl", "cf": "Cf format", "cn": "Cn unassigned",
    "co": "Co privateuse", "cs": "Cs surrogate",
    "l": "L letter", "lc": "LC casedletter", "ll": "Ll lowercaseletter", "lm": "Lm modifierletter",
    "lo": "Lo otherletter", "lt": "Lt titlecaseletter", "lu": "Lu uppercaseletter",
    "m": "M mark combiningmark", "mc": "Mc spacingmark", "me": "Me enclosingmark", "mn": "Mn nonspacingmark",
    "n": "N number", "nd": "Nd decimalnumber digit", "nl": "Nl letternumber", "no": "No othernumber",
    "p": "P punctuation punct", "pc": "Pc connectorpunctuation", "pd": "Pd dashpunctuation",
    "pe": "Pe closepunctuation", "pf": "Pf finalpunctuation", "pi": "Pi initialpunctuation",
    "po": "Po otherpunctuation", "ps": "Ps openpunctuation",
    "s": "S symbol", "sc": "Sc currencysymbol", "sk": "Sk modifiersymbol", "sm": "Sm mathsymbol",
    "so": "So othersymbol",
    "z": "Z separator", "zl": "Zl lineseparator", "zp": "Zp paragraphseparator", "zs": "Zs spaceseparator",
}  # fmt: skip
"""By canonical short name: the name in Go and RE2, then its aliases."""

_SCRIPTS = """
Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali Beria_Erfe
Bhaiksuki Bopomofo Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma Cham
Cherokee Chorasmian Common Coptic Cuneiform Cypriot Cypro_Minoan Cyrillic Deseret Devanagari Dives_Akuru Dogra
Duployan Egyptian_Hieroglyphs Elbasan Elymaic Ethiopic Garay Georgian Glagolitic Gothic Grantha Greek Gujarati
Gunjala_Gondi Gurmukhi Gurung_Khema Han Hangul Hanifi_Rohingya Hanunoo Hatran Hebrew Hiragana Imperial_Aramaic
Inherited Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi Kannada Katakana Kawi Kayah_Li Kharoshthi
Khitan_Small_Script Khmer Khojki Khudawadi Kirat_Rai Lao Latin Lepcha Limbu Linear_A Linear_B Lisu Lycian Lydian
Mahajani Makasar Malayalam Mandaic Manichaean Marchen Masaram_Gondi Medefaidrin Meetei_Mayek Mende_Kikakui
Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi Mongolian Mro Multani Myanmar Nabataean Nag_Mundari Nandinagari
New_Tai_Lue Newa Nko Nushu Nyiakeng_Puachue_Hmong Ogham Ol_Chiki Ol_Onal Old_Hungarian Old_Italic
Old_North_Arabian Old_Permic Old_Persian Old_Sogdian Old_South_Arabian Old_Turkic Old_Uyghur Oriya Osage Osmanya
Pahawh_Hmong Palmyrene Pau_Cin_Hau Phags_Pa Phoenician Psalter_Pahlavi Rejang Runic Samaritan Saurashtra Sharada
Shavian Siddham Sidetic SignWriting Sinhala Sogdian Sora_Sompeng Soyombo Sundanese Sunuwar Syloti_Nagri Syriac
Tagalog Tagbanwa Tai_Le Tai_Tham Tai_Viet Tai_Yo Takri Tamil Tangsa Tangut Telugu Thaana Thai Tibetan Tifinagh
Tirhuta Todhri Tolong_Siki Toto Tulu_Tigalari Ugaritic Vai Vithkuqi Wancho Warang_Citi Yezidi Yi
Zanabazar_Square
"""

_COMPOSED = {
    "ASCII": r"\x00-\x7F",
    "LC": r"\p{Lu}\p{Ll}\p{Lt}",
    "C": r"\pL\pM\pN\pP\pS\pZ",
    "Cn": r"\pL\pM\pN\pP\pS\pZ\p{Cc}\p{Cf}\p{Co}\p{Cs}",
    "Assigned": r"\pL\pM\pN\pP\pS\pZ\p{Cc}\p{Cf}\p{Co}\p{Cs}",
}
"""Classes that RE2 lacks or defines differently from Go, as members of a `[...]`."""
_COMPLEMENTS = frozenset(["C", "Cn"])
"""The composed classes that contain everything except these members."""


def class_items(name: str, *, negated: bool, in_class: bool) -> str | None:
    r"""Return `\p{name}` or `\P{name}` for RE2, alone or as a member of a `[...]`; None if there is no such class."""
    known = _names().get(_canonical(name))
    if known is None:
        return None
    if known not in _COMPOSED:
        return f"\\{'P' if negated else 'p'}{{{known}}}"
    excluded = negated is not (known in _COMPLEMENTS)
    if not in_class:
        return f"[{'^' if excluded else ''}{_COMPOSED[known]}]"
    return _ranges(known, negated) if excluded else _COMPOSED[known]


def _canonical(name: str) -> str:
    return "".join(it for it in name.lower() if it not in " _-")


@cache
def _names() -> dict[str, str]:
    """Return all names in canonical spelling, each with its name in RE2 or `_COMPOSED`."""
    names = {"any": "Any", "ascii": "ASCII", "assigned": "Assigned"}
    for short, spellings in _CATEGORIES.items():
        known, *aliases = spellings.split()
        names |= dict.fromkeys([short, *aliases], known)
    return names | {_canonical(it): it for it in _SCRIPTS.split() if _is_known(it)}


def _is_known(script: str) -> bool:
    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(rf"\p{{{script}}}", options=options)
    except re2.error:
        return False
    return True


@cache
def _ranges(known: str, negated: bool) -> str:
    """Return the class as explicit ranges: inside a `[...]` RE2 cannot express a complement."""
    if known == "ASCII":
        return r"\x{80}-\x{10FFFF}"
    ranges: list[list[int]] = []
    for code in range(0x110000):
        if _contains(known, unicodedata.category(chr(code))) is negated:
            continue
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"\\x{{{first:X}}}-\\x{{{last:X}}}" for first, last in ranges)


def _contains(known: str, category: str) -> bool:
    match known:
        case "LC":
            return category in {"Lu", "Ll", "Lt"}
        case "C":
            return category[0] == "C"
        case "Cn":
            return category == "Cn"
        case _:
            return category != "Cn"
