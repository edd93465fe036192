import type { OperationSpec } from '../operation.ts';

/** A program that calls one operation, in one language. */
export interface CodeSample {
  /** Name of the language for readers. */
  label: string;
  /** Name of the language after the fence of a code block. */
  language: 'sh' | 'ts' | 'python';
  source: string;
}

type Sampled = Pick<OperationSpec, 'method' | 'path' | 'exampleQuery' | 'example' | 'success'>;

/**
 * Returns a sample of an operation in each language, with the example of its declaration as the body. Each sample is a
 * whole program. It reads the base URL, the key and the id in the path from the environment variables RELATA, KEY and
 * ID.
 */
export function codeSamples(operation: Sampled): CodeSample[] {
  return [
    { label: 'curl', language: 'sh', source: curlSample(operation) },
    { label: 'TypeScript', language: 'ts', source: typescriptSample(operation) },
    { label: 'Python', language: 'python', source: pythonSample(operation) },
  ];
}

/** Timeout of a sample, in seconds: an answer of the chatbot may take 60 s. */
const timeoutOf = (operation: Sampled) => (answersText(operation) ? 90 : 30);

const answersText = ({ success }: Sampled) => success.contentType !== undefined;

const urlOf = ({ path, exampleQuery }: Sampled) => (exampleQuery ? `${path}?${exampleQuery}` : path);

function curlSample(operation: Sampled): string {
  const { method, example } = operation;
  const verb = method === 'get' ? '' : `-X ${method.toUpperCase()} `;
  const lines = [`curl -sS ${verb}"$RELATA${urlOf(operation).replace('{id}', '$ID')}"`, `-H "X-Api-Key: $KEY"`];
  if (example) lines.push(`-H 'Content-Type: application/json'`, `-d '${shellText(example)}'`);
  return lines.length === 2 ? lines.join(' ') : lines.join(' \\\n  ');
}

const shellText = (example: unknown) =>
  JSON.stringify(example, null, 2)
    .replaceAll("'", String.raw`'\''`)
    .replaceAll('\n', '\n  ');

function typescriptSample(operation: Sampled): string {
  const { method, example } = operation;
  const options = [
    ...(method === 'get' ? [] : [`method: '${method.toUpperCase()}'`]),
    `headers: { 'X-Api-Key': process.env.KEY!${example ? ", 'Content-Type': 'application/json'" : ''} }`,
    ...(example ? [`body: JSON.stringify(${scriptText(example)})`] : []),
    `signal: AbortSignal.timeout(${timeoutOf(operation)}_000)`,
  ];
  return [
    `const response = await fetch(\`\${process.env.RELATA}${urlOf(operation).replace('{id}', '${process.env.ID}')}\`, {`,
    ...options.map((option) => `  ${option.replaceAll('\n', '\n  ')},`),
    '});',
    'if (!response.ok) throw new Error(await response.text());',
    `console.log(await response.${answersText(operation) ? 'text' : 'json'}());`,
  ].join('\n');
}

/** Returns a value as a TypeScript literal, in which only names that need quotes have them. */
const scriptText = (value: unknown) => JSON.stringify(value, null, 2).replaceAll(/^( *)"([A-Za-z_]\w*)":/gm, '$1$2:');

function pythonSample(operation: Sampled): string {
  const { method, example } = operation;
  const url = urlOf(operation);
  const headers = `{"X-Api-Key": os.environ["KEY"]${example ? ', "Content-Type": "application/json"' : ''}}`;
  const parts = [
    `os.environ["RELATA"] + ${url.includes('{id}') ? `f"${url.replace('{id}', "{os.environ['ID']}")}"` : `"${url}"`}`,
    ...(method === 'get' ? [] : [`method="${method.toUpperCase()}"`]),
    `headers=${headers}`,
    ...(example ? [`data=json.dumps(${pythonText(example)}).encode()`] : []),
  ];
  return [
    `import ${answersText(operation) && !example ? '' : 'json, '}os`,
    'from urllib.request import Request, urlopen',
    '',
    'request = Request(',
    ...parts.map((part) => `    ${part.replaceAll('\n', '\n    ')},`),
    ')',
    `with urlopen(request, timeout=${timeoutOf(operation)}) as response:`,
    `    print(${answersText(operation) ? 'response.read().decode()' : 'json.load(response)'})`,
  ].join('\n');
}

/** Returns a value as a Python literal: `None`, `True` and `False` differ from JSON. */
function pythonText(value: unknown, indent = ''): string {
  const inner = `${indent}    `;
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const isList = Array.isArray(value);
  const entries = isList
    ? value.map((each) => pythonText(each, inner))
    : Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${pythonText(each, inner)}`);
  const [open, close] = isList ? '[]' : '{}';
  if (entries.length === 0) return `${open}${close}`;
  return `${open}\n${entries.map((entry) => `${inner}${entry},\n`).join('')}${indent}${close}`;
}
