import base from './base.css';
import conversation from './conversation.css';
import forms from './forms.css';
import markdown from './markdown.css';
import messages from './messages.css';
import notice from './notice.css';
import panel from './panel.css';
import sources from './sources.css';
import welcome from './welcome.css';

/** Parts of the style sheet; later ones override earlier ones. */
const parts = [base, panel, welcome, messages, sources, notice, conversation, markdown, forms];
let sheet: CSSStyleSheet | undefined;

/**
 * Returns the style sheet shared by all elements of a page. A constructed style sheet is allowed even if the page's
 * content security policy forbids inline styles.
 */
export function styles(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(parts.join('\n'));
  }
  return sheet;
}
