import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { configurationPage, environmentExample, knownSettings } from './generate/configuration.ts';
import { composeExample } from './generate/compose-settings.ts';
import { alertRules, caddyfile, composeFile, dockerfile, prometheusFile } from './generate/deployment.ts';
import { exampleDashboard } from './generate/dashboards/files.ts';
import { kubernetesFiles } from './generate/kubernetes/files.ts';
import { consoleRecordTypes, consoleScopes, consoleTable } from './generate/console-table.ts';
import { listsPage } from './generate/lists-tables.ts';
import { sendersPage } from './generate/senders/kinds-table.ts';
import { senderPages } from './generate/senders/sender-page.ts';
import { workflowGuide } from './generate/workflow-guide.ts';
import { openApiDocument } from '@relata/schemas/openapi';
import { definitionJsonSchema } from '@relata/workflows';

/** All generated files of the repository, and generated parts of other files. */
const generated: Record<string, (present: string) => string> = {
  'docs/openapi.json': () => `${JSON.stringify(openApiDocument(), null, 2)}\n`,
  'docs/workflow.schema.json': () => `${JSON.stringify(definitionJsonSchema(), null, 2)}\n`,
  'docs/configuration.md': configurationPage,
  'docs/lists.md': listsPage,
  'docs/senders.md': sendersPage,
  '.env.example': environmentExample,
  'infra/compose/Caddyfile': caddyfile,
  'infra/compose/compose.yaml': composeFile,
  'infra/compose/.env.example': composeExample,
  'infra/compose/monitoring/prometheus.yml': prometheusFile,
  'infra/images/Dockerfile': dockerfile,
  'infra/prometheus/relata.rules.yml': alertRules,
  ...Object.fromEntries(
    Object.entries({ ...kubernetesFiles, ...exampleDashboard, ...senderPages() }).map(([path, text]) => [
      path,
      () => text,
    ]),
  ),
  'apps/console-web/src/api/operations.ts': consoleTable,
  'apps/console-web/src/audit/record-types.ts': consoleRecordTypes,
  'apps/console-web/src/keys/scopes.ts': consoleScopes,
  'apps/console-web/src/workflows/guide/guide.json': workflowGuide,
  'packages/diagnosis/src/settings/known-settings.ts': knownSettings,
};

const isCheck = process.argv.includes('--check');
const root = new URL('../', import.meta.url);

for (const [path, make] of Object.entries(generated)) {
  const file = new URL(path, root);
  const present = await readFile(file, 'utf8').catch(() => '');
  const made = make(present);
  if (!isCheck) {
    await mkdir(new URL('.', file), { recursive: true });
    await writeFile(file, made);
  } else if (present !== made) {
    console.error(`${path} is stale. Run: npm run generate`);
    process.exitCode = 1;
  }
}
