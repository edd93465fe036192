import { hasExpression, scanTemplate } from '@relata/expressions';
import { findSteps } from './check-steps.ts';
import { missingInputWarnings } from './missing-input-warnings.ts';
import { type DefinitionFault, faultAt, type Path } from '../definition.error.ts';
import type { Definition } from '../definition.ts';
import { isSensitiveHeader } from '../../runs/sensitive-headers.ts';
import { networkUses, type StepUse } from '../steps/step-kinds.ts';
import { isRecord, requestHeaderBytesMax } from '@relata/schemas';

/** Returns warnings about valid parts of a definition that its author probably did not intend. */
export function definitionWarnings(definition: Pick<Definition, 'inputs' | 'steps'>): DefinitionFault[] {
  return [...requestWarnings(definition), ...unusedWarnings(definition), ...missingInputWarnings(definition)];
}

/** Returns a warning for each `retry` and `timeout` of a step that calls no other system. The worker ignores them. */
function unusedWarnings({ steps }: Pick<Definition, 'steps'>): DefinitionFault[] {
  return findSteps(steps).flatMap(({ step, path }) => {
    const given = step as Record<string, unknown>;
    if (networkUses.includes(given['use'] as StepUse)) return [];
    return ['retry', 'timeout']
      .filter((name) => given[name] !== undefined)
      .map((name) =>
        faultAt(
          [...path, name],
          `Has no effect: only ${networkUses.join(' and ')} use it.`,
          `Remove ${name} from this step.`,
        ),
      );
  });
}

function requestWarnings({ steps }: Pick<Definition, 'steps'>): DefinitionFault[] {
  return findSteps(steps).flatMap(({ step, path }) => {
    const { use, with: input } = step as Record<string, unknown>;
    if (use !== 'http.request' || !isRecord(input)) return [];
    const { url, headers } = input;
    return [...urlWarnings(url, [...path, 'with', 'url']), ...headerWarnings(headers, [...path, 'with', 'headers'])];
  });
}

type Header = [name: string, value: unknown];

function headerWarnings(headers: unknown, path: Path): DefinitionFault[] {
  const written = isRecord(headers) ? Object.entries(headers) : [];
  return [...failingHeaders(written, path), ...visibleSecrets(written, path)];
}

/** Returns warnings about headers that the schema accepts but that make every request fail. */
function failingHeaders(written: readonly Header[], path: Path): DefinitionFault[] {
  const encoding = written.find(([name]) => name.toLowerCase() === 'accept-encoding');
  const texts = written.filter(([, value]) => typeof value === 'string' && !hasExpression(value));
  const bytes = texts.reduce((sum, [name, value]) => sum + name.length + (value as string).length, 0);
  const faults: DefinitionFault[] = [];
  if (encoding)
    faults.push(
      faultAt([...path, encoding[0]], 'The service sets this header itself, so the step fails.', 'Remove it.'),
    );
  const tooLarge = `The headers are larger than ${requestHeaderBytesMax} bytes, so the step fails.`;
  if (bytes > requestHeaderBytesMax) faults.push(faultAt(path, tooLarge, 'Send less text.'));
  return faults;
}

function visibleSecrets(written: readonly Header[], path: Path): DefinitionFault[] {
  return written
    .filter(([name, value]) => isSensitiveHeader(name) && !(typeof value === 'string' && hasExpression(value)))
    .map(([name]) =>
      faultAt(
        [...path, name],
        'The value is visible to everybody who can read the definition.',
        'Set it as a secret (relata secrets set NAME) and write ${{ secrets.NAME }}.',
      ),
    );
}

function urlWarnings(url: unknown, path: Path): DefinitionFault[] {
  const parts = (typeof url === 'string' && scanTemplate(url)) || [];
  const [first] = parts;
  const warning = (message: string, hint: string) => [faultAt(path, message, hint)];
  if (typeof first === 'string' && /^https?:\/\/[^/?#\\]*@/i.test(first))
    return warning(
      'The URL contains a user name or a password, so the step fails.',
      'Send them in the header Authorization, with the value ${{ secrets.NAME }}.',
    );
  if (parts.length === 1 && typeof first !== 'string')
    return warning(
      'The whole URL is an expression, so its value decides which host receives the request and its headers.',
      'Write the host as text and put expressions after it, or encode each value with urlEncode().',
    );
  if (parts.some((part) => typeof part !== 'string' && /\burlEncode\s*\(/.test(part.source)))
    return warning(
      'The result of urlEncode() is encoded a second time.',
      'Omit urlEncode(): values in a URL are encoded automatically.',
    );
  return [];
}
