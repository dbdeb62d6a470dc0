/** Leaves of the server's rendered Markdown what a hover needs. Texts of files are quoted in it, so nothing in it is trusted. */

const ELEMENTS = new Set(
  'a b blockquote br code del div em h1 h2 h3 h4 h5 h6 hr i li ol p pre s span strong table tbody td th thead tr ul'.split(' '),
);

/** The classes of highlighted code. Others belong to parts of the page, which a text could imitate. */
const CODE = /^((ͼ|tok-)[\w-]+ ?)+$/;

export function safeHtml(html: string): string {
  const page = new DOMParser().parseFromString(html, 'text/html');
  for (const element of [...page.body.querySelectorAll('*')]) {
    if (!ELEMENTS.has(element.localName)) {
      element.replaceWith(page.createTextNode(element.outerHTML));
      continue;
    }
    for (const { name, value } of [...element.attributes]) {
      const isLink = element.localName === 'a' && name === 'href' && /^https?:\/\//i.test(value);
      const isCode = element.localName === 'span' && name === 'class' && CODE.test(value);
      if (!isLink && !isCode) {
        element.removeAttribute(name);
      }
    }
    if (element.localName === 'a') {
      element.setAttribute('target', '_blank');
      element.setAttribute('rel', 'noopener noreferrer');
    }
  }
  return page.body.innerHTML;
}
