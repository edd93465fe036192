import { readFile, writeFile } from 'node:fs/promises';
import { configurationPage, environmentExample } from './generate/configuration.ts';
import { openApiDocument } from '@relata/schemas/openapi';
import { definitionJsonSchema } from '@relata/workflows';

/** Everything that is made from the code and kept in the repository. */
const generated: Record<string, () => string> = {
  'docs/openapi.json': () => `${JSON.stringify(openApiDocument(), null, 2)}\n`,
  'docs/workflow.schema.json': () => `${JSON.stringify(definitionJsonSchema(), null, 2)}\n`,
  'docs/configuration.md': configurationPage,
  '.env.example': environmentExample,
};

const isCheck = process.argv.includes('--check');
const root = new URL('../', import.meta.url);

for (const [path, make] of Object.entries(generated)) {
  const file = new URL(path, root);
  if (!isCheck) await writeFile(file, make());
  else if ((await readFile(file, 'utf8').catch(() => '')) !== make()) {
    console.error(`${path} is stale. Run: npm run generate`);
    process.exitCode = 1;
  }
}
