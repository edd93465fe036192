import { details } from '../errors/detail-codes.ts';
import { type ErrorCode, errors } from '../errors/errors.ts';
import { account } from '../resources/account.ts';
import { collectErrorExamples, errorExample } from './error-examples.ts';

const codes = (Object.keys(errors) as ErrorCode[]).toSorted((a, b) => errors[a].status - errors[b].status);

const style = `body{max-width:48rem;margin:2rem auto;padding:0 1rem;font:16px/1.5 sans-serif;color:#3b4151}
h2{margin-top:2.5rem}h2 span,h3{font-size:1rem}code,pre{font-family:monospace}td{padding:.2rem 1rem .2rem 0;vertical-align:top}
pre{white-space:pre-wrap;overflow-wrap:anywhere;padding:1rem;background:#f3f4f6;border-radius:4px}:target{background:#fff8dc}a{color:#1f5fbf}`;

/** Returns the page behind `doc_url`: each error under its code as anchor, with its cause and its remedy. */
export function errorsPage(): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Relata API: errors</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<h1>Errors</h1>
<p>${marked(
    'Programs should use `error`, which never changes; `message` is for people. Anything a message mentions is ' +
      'also a structured field, as the examples show. `request_id` identifies the request in the log.',
  )}
<a href="/docs">All operations</a></p>
<table>
${codes.map(row).join('\n')}
</table>
${codes.map(section).join('\n')}
<h2 id="details">The codes of <code>details</code></h2>
<table>
${Object.entries(details)
  .map(([code, meaning]) => `<tr><td><code>${code}</code></td><td>${marked(meaning)}</td></tr>`)
  .join('\n')}
</table>
</body>
</html>
`;
}

const row = (code: ErrorCode) =>
  `<tr><td>${errors[code].status}</td><td><a href="#${code}"><code>${code}</code></a></td></tr>`;

function section(code: ErrorCode): string {
  const { status, description, action } = errors[code];
  return `<section id="${code}">
<h2><code>${code}</code> <span>${status}</span></h2>
<p>${marked(description)}</p>
<h3>What to do</h3>
<p>${marked(action)}</p>
<h3>Example</h3>
<pre>${escaped(JSON.stringify(exampleBodyOf(code), null, 2))}</pre>
</section>`;
}

/** Returns the example of an error. That of a validation error is about a body, so that `details` names fields. */
function exampleBodyOf(code: ErrorCode) {
  if (code !== 'validation_error') return errorExample(code);
  return collectErrorExamples(account.operations.create).find((example) => example.code === code)!.body;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (character) => entities[character]!);

/** Escapes text and turns back quotes into `<code>`. */
const marked = (text: string) => escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
