import { recordTypes, scopes } from '@relata/schemas';
import { consoleOperations, consolePath } from '@relata/schemas/console';

const made = (from: string, name: string, open: string, rows: readonly string[], close: string) =>
  `/** Made from \`${from}\`: npm run generate */\nexport const ${name} = ${open}\n${rows.join('')}${close} as const;\n`;

/** Returns the method and path of each console operation, for the pages. They do not need the schemas. */
export function consoleTable(): string {
  const rows = Object.values(consoleOperations).map(
    ({ id, method, path }) => `  ${id}: ['${method.toUpperCase()}', '${path.slice(consolePath.length)}'],\n`,
  );
  return made('consoleOperations', 'operations', '{', rows, '}');
}

/** Returns the permissions of keys, for the form that creates one. */
export function consoleScopes(): string {
  const rows = Object.entries(scopes).map(([name, meaning]) => `  ['${name}', '${meaning}'],\n`);
  return made('scopes', 'scopes', '[', rows, ']');
}

/** Returns all types of objects that events can be about, for the filter of the audit log. */
export function consoleRecordTypes(): string {
  return made(
    'recordTypes',
    'recordTypes',
    '[',
    recordTypes.map((name) => `  '${name}',\n`),
    ']',
  );
}
