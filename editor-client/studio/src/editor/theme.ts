/** Colours of the editor: names of the page's style sheet, which has them for light, dark and forced colours. */

import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const style = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--code-key)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--code-number)' },
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--code-keyword)' },
  { tag: [tags.comment, tags.meta], color: 'var(--code-comment)', fontStyle: 'italic' },
  { tag: [tags.typeName, tags.className, tags.labelName, tags.function(tags.variableName)], color: 'var(--code-keyword)' },
  { tag: tags.heading, color: 'var(--code-key)', fontWeight: '600' },
  { tag: tags.strong, fontWeight: '600' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: [tags.link, tags.url], color: 'var(--accent)' },
  { tag: tags.invalid, color: 'var(--error)' },
]);

const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--paper)', fontSize: '13px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)', padding: '6px 0 40vh', minWidth: '0' },
  '.cm-line': { padding: '0 12px 0 6px' },
  '.cm-cursor': { borderLeftColor: 'var(--text)', borderLeftWidth: '2px' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'var(--selection)',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--line)' },
  '.cm-gutters': { backgroundColor: 'var(--paper)', color: 'var(--faint)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '34px', padding: '0 6px 0 0' },
  '.cm-foldGutter .cm-gutterElement': { width: '14px', cursor: 'pointer' },
  '.cm-foldPlaceholder': { background: 'var(--line)', border: 'none', color: 'var(--faint)', padding: '0 6px' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--selection)', outline: 'none' },
  '.cm-searchMatch': { backgroundColor: 'var(--mark)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--line)' },
  '.cm-panel': { fontSize: '13px' },
  '.cm-panel input, .cm-panel button, .cm-panel label': { fontSize: 'inherit' },
  '.cm-panels': { backgroundColor: 'var(--side)', color: 'var(--text)', borderColor: 'var(--edge)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--float)',
    color: 'var(--text)',
    border: '1px solid var(--edge)',
    borderRadius: '6px',
    boxShadow: 'var(--shadow)',
    maxWidth: 'min(640px, 80vw)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '16em' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { background: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-completionDetail': { fontStyle: 'normal', opacity: '0.75', marginLeft: '1em' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-tooltip.cm-completionInfo': { padding: '8px 10px', overflow: 'auto', maxHeight: '22em' },
  '.cm-lintRange': { backgroundImage: 'none', textDecorationThickness: '1px', textDecorationSkipInk: 'none', paddingBottom: '0' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--error)' },
  '.cm-lintRange-warning': { backgroundImage: 'none', textDecoration: 'underline wavy var(--warning)' },
  '.cm-lintRange-info': { backgroundImage: 'none', textDecoration: 'underline wavy var(--info)' },
  '.cm-lintRange-hint': { backgroundImage: 'none', textDecoration: 'underline dotted var(--faint)' },
  '.cm-lintRange-active': { backgroundColor: 'transparent' },
  '.cm-lint-marker': { width: '8px', height: '8px', margin: '7px 3px', content: 'none', borderRadius: '50%' },
  '.cm-lint-marker-error': { content: '""', background: 'var(--error)' },
  '.cm-lint-marker-warning': { content: '""', background: 'var(--warning)', borderRadius: '2px' },
  '.cm-lint-marker-info': { content: '""', background: 'var(--info)' },
  '.cm-lint-marker-hint': { content: '""', background: 'var(--faint)' },
  '.cm-diagnostic': { padding: '6px 10px', borderLeft: '3px solid var(--faint)', whiteSpace: 'pre-wrap' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--error)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--warning)' },
  '.cm-diagnostic-info': { borderLeftColor: 'var(--info)' },
  // The message ends with a link that names the rule.
  '.cm-diagnosticSource': { display: 'none' },
  '.cm-diagnosticAction': {
    font: 'inherit',
    color: 'var(--on-accent)',
    backgroundColor: 'var(--accent)',
    borderRadius: '4px',
    padding: '1px 8px',
    margin: '6px 6px 0 0',
  },
});

export const appearance = [theme, syntaxHighlighting(style)];
