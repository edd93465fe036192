import type { OperationSpec } from '@relata/schemas';
import { escapeHtml } from '../markdown.ts';
import type { Described } from './operation-text.ts';

/** Returns the form that tries an operation. A script of the page sends the form. Without scripts it is hidden. */
export function tryForm({ id, method, path, summary, example }: OperationSpec, described: Described): string {
  const fields = (described.parameters ?? []).map(
    ({ name, in: place, required }) =>
      `<label>${escapeHtml(name)}${required ? '' : ' <small>optional</small>'}
<input name="${escapeHtml(name)}" data-in="${place}" autocomplete="off" spellcheck="false"${required ? ' required' : ''}></label>`,
  );
  const body = example
    ? [
        `<label>Body\n<textarea name="body" rows="${JSON.stringify(example, null, 2).split('\n').length}" spellcheck="false">
${escapeHtml(JSON.stringify(example, null, 2))}</textarea></label>`,
      ]
    : [];
  return `<details class="try" hidden><summary>Try it</summary>
<form aria-label="${escapeHtml(summary)}" data-operation="${id}" data-method="${method}" data-path="${escapeHtml(path)}">
<label>API key <small>kept until you close this tab</small>
<input name="key" type="password" autocomplete="off" required></label>
${[...fields, ...body].join('\n')}
<button>Send</button>
<div class="answer"><p role="status"></p></div>
</form></details>
`;
}
