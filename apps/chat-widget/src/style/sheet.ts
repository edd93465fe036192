import base from './base.css';
import conversation from './conversation.css';
import forms from './forms.css';
import markdown from './markdown.css';
import panel from './panel.css';

let sheet: CSSStyleSheet | undefined;

/** One sheet for every element of a page. A constructed one is allowed where a policy forbids inline styles. */
export function styles(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync([base, panel, conversation, markdown, forms].join('\n'));
  }
  return sheet;
}
