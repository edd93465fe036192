import type { Db } from '@relata/db';
import { listSecrets } from '@relata/secrets';
import {
  applyWorkflow,
  type Definition,
  definitionWarnings,
  type DefinitionFault,
  listSecretReferences,
  type IncompatibleAssignment,
  readDefinitionText,
} from '@relata/workflows';
import { nameText } from '@relata/schemas';
import { z } from 'zod';
import { command } from '../../command/command.ts';
import { org } from '../orgs/organization-option.ts';
import { value, integer } from '../../command/parameter.ts';
import { printWarning } from '../../output/print-result.ts';
import { recordText } from '../../output/result.format.ts';
import { readText } from '../../command/text-source.ts';

const definitionBytesMax = 262_144;

export const versionMax = 2_147_483_647;

const file = value('FILE', z.string().min(1), 'File with the definition in JSON; - for standard input');

const readFile = async (path: string) => readDefinitionText(await readText(path, definitionBytesMax));

export const apply = command({
  name: 'apply',
  summary: 'Create a workflow, or add a version to it',
  arguments: { file },
  options: {
    org,
    base: value(
      'N',
      integer(0, versionMax).optional(),
      'Apply only if N is the newest version (0: only if there is none)',
    ),
    note: value('TEXT', nameText().optional(), 'Note for the version history'),
  },
  examples: [
    'workflows apply inbound-lead.json --org ORG_ID',
    'workflows apply - --org ORG_ID < inbound-lead.json',
    "workflows apply inbound-lead.json --org ORG_ID --base 7 --note 'Calls have a timeout'",
  ],
  run: async (context, { file, org, base, note }) => {
    const given = await readFile(file);
    const { applied, definition, incompatible } = await applyWorkflow(context, context.actorIn(org), given, {
      base,
      note,
    });
    for (const assignment of incompatible) printIncompatible(assignment, applied.name);
    const warnings = [...definitionWarnings(definition), ...(await missingSecrets(context.database, org, definition))];
    return { ...applied, warnings: printWarnings(warnings) };
  },
  view: ({ warnings: _printed, ...applied }) => recordText(applied),
  note: ({ action }) => (action === 'unchanged' ? 'Unchanged: this is the newest version already.' : undefined),
});

/** Returns warnings for missing secrets, which may still be set before the first run. */
async function missingSecrets(db: Db, orgId: string, definition: Definition): Promise<DefinitionFault[]> {
  const references = listSecretReferences(definition);
  const known = new Set(references.length === 0 ? [] : (await listSecrets(db, orgId)).map(({ name }) => name));
  return references
    .filter(({ name }) => !known.has(name))
    .map(({ name, path }) => {
      const hint = `Set it: relata secrets set ${name} --org ${orgId}`;
      return { path, message: `The organization has no secret ${name}.`, hint };
    });
}

function printWarnings(warnings: DefinitionFault[]): DefinitionFault[] {
  for (const { path, message, hint = '' } of warnings) printWarning(`${path}: ${message} ${hint}`.trim());
  return warnings;
}

function printIncompatible(
  { trigger_id: triggerId, trigger, problems }: IncompatibleAssignment,
  workflow: string,
): void {
  const fix = `Assign it again: relata triggers assign ${triggerId} ${workflow} --input …`;
  printWarning(
    `The assignment of the trigger "${trigger}" (${triggerId}) no longer fits. ${problems.join(' ')} ${fix}`,
  );
}

export const validate = command({
  name: 'validate',
  summary: 'Check a definition, without a database',
  arguments: { file },
  examples: ['workflows validate inbound-lead.json'],
  isLocal: true,
  run: async (_context, { file }) => {
    const { name, inputs, steps } = await readFile(file);
    const warnings = printWarnings(definitionWarnings({ inputs, steps }));
    const found = { name, valid: true, inputs: Object.keys(inputs), steps: steps.map(({ id }) => id) };
    return { ...found, ...(warnings.length > 0 && { warnings }) };
  },
  view: ({ warnings: _printed, ...found }) => recordText(found),
});
