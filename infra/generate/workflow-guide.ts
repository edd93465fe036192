import { globSync, readFileSync } from 'node:fs';
import { readDefinitionText, stepGuide } from '@relata/workflows';

/** Files of the repository that are complete workflows. */
const examples = ['examples/inbound-lead.json', 'examples/senders/*.json'];

const root = new URL('../../', import.meta.url);

/** Returns the guide that the console shows next to its editor: every kind of step, and complete definitions. */
export function workflowGuide(): string {
  const paths = examples.flatMap((pattern) => globSync(pattern, { cwd: root }).toSorted());
  const definitions = paths.filter((path) => !path.endsWith('package.json')).map(definitionIn);
  return `${JSON.stringify({ steps: stepGuide(), examples: definitions }, null, 1)}\n`;
}

/** Reads a definition; throws DefinitionError if it has a fault. */
function definitionIn(path: string): unknown {
  const text = readFileSync(new URL(path, root), 'utf8');
  readDefinitionText(text);
  return JSON.parse(text);
}
