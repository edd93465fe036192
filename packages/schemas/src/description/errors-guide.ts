import { details } from '../errors/detail-codes.ts';
import { type ErrorCode, errors } from '../errors/errors.ts';
import { account } from '../resources/account.ts';
import { collectErrorExamples, errorExample } from './error-examples.ts';

const codes = (Object.keys(errors) as ErrorCode[]).toSorted((a, b) => errors[a].status - errors[b].status);

/** Returns the page behind `doc_url` in Markdown: each error under its code, with its cause and its remedy. */
export function errorsGuide(): string {
  return `# Errors

Programs should use \`error\`, which never changes; \`message\` is for people. Anything a message mentions is also a
structured field, as the examples show. \`request_id\` identifies the request in the log.

| Status | Error |
|---|---|
${codes.map((code) => `| ${errors[code].status} | [\`${code}\`](#${code}) |`).join('\n')}

${codes.map(section).join('\n\n')}

## Details

The codes of the problems in \`details\`.

| Code | Meaning |
|---|---|
${Object.entries(details)
  .map(([code, meaning]) => `| \`${code}\` | ${meaning} |`)
  .join('\n')}
`;
}

function section(code: ErrorCode): string {
  const { status, description, action } = errors[code];
  const example = JSON.stringify(exampleBodyOf(code), null, 2);
  return [
    `## \`${code}\``,
    `Status ${status}. ${description}`,
    `**What to do**: ${action}`,
    `\`\`\`json\n${example}\n\`\`\``,
  ].join('\n\n');
}

/** Returns the example of an error. The example of a validation error has a body, so that `details` names fields. */
function exampleBodyOf(code: ErrorCode) {
  if (code !== 'validation_error') return errorExample(code);
  return collectErrorExamples(account.operations.create).find((example) => example.code === code)!.body;
}
