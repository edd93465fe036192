import { consoleSettings, migrationSettings, publicSettings, type SettingsShape } from '@relata/runtime';
import { nodeOptions } from '@relata/service';
import { services } from '../services.ts';
import { describeSetting, type DescribedSetting } from './described-setting.ts';

const apps = Object.fromEntries(services.map(({ name, settings }) => [name, settings as SettingsShape]));

/** Settings of the operator's tool, except the settings of its connections. */
const tool: Record<string, SettingsShape> = {
  '`relata`': { ...consoleSettings, ...publicSettings, ...migrationSettings },
};

/** Other variables that the command-line tool or Node reads. */
const toolVariables = ['RELATA_ORG', 'RELATA_TRIGGER_SECRET', 'UV_THREADPOOL_SIZE'];

interface Described extends DescribedSetting {
  apps: string[];
}

/** Returns every setting once, with the apps that read it. */
export function describedSettings(): Described[] {
  const found = new Map<string, Described>();
  for (const [app, shape] of Object.entries({ ...apps, ...tool })) {
    for (const name of Object.keys(shape)) {
      const described = found.get(name) ?? { ...describeSetting(name, shape[name]!), apps: [] };
      described.apps.push(app);
      found.set(name, described);
    }
  }
  return [...found.values()].toSorted((a, b) => a.name.localeCompare(b.name));
}

/** Returns the names of all settings as code for the diagnosis, which cannot import apps. */
export function knownSettings(): string {
  const names = [...describedSettings().map(({ name }) => name), ...toolVariables];
  const rows = names.map((name) => `  '${name}',\n`).join('');
  return `/** Made from the settings of the apps: npm run generate */\nexport const knownSettings = [\n${rows}] as const;\n`;
}

function processes(): string {
  const rows = services.map(({ name, prefix }) => {
    const paths = prefix === undefined ? 'nothing' : prefix === '/' ? 'everything else' : `\`${prefix}\``;
    return `| \`${name}\` | ${paths} |`;
  });
  const flags = `Node runs every app with \`${nodeOptions.join(' ')}\`.`;
  return `| App | Serves paths that begin with |\n|---|---|\n${rows.join('\n')}\n\n${flags}`;
}

const heading = `# Configuration

Every app reads its settings from the environment, once, when it starts. If settings are wrong, it prints all problems
and exits with 1. An empty variable counts as unset. This page is made from the code: \`npm run generate\`.

${processes()}

## Settings

| Variable | Default | Meaning | Read by |
|---|---|---|---|
`;

export function configurationPage(): string {
  const all = Object.keys(apps).length;
  const rows = describedSettings().map(({ name, fallback, isRequired, description, isSecret, apps: readers }) => {
    const shown = isRequired ? 'required' : fallback ? `\`${fallback}\`` : 'none';
    const who = readers.length === all ? 'all' : readers.join(', ');
    return `| \`${name}\` | ${shown} | ${description}${isSecret ? ' Holds a secret.' : ''} | ${who} |`;
  });
  return `${heading}${rows.join('\n')}\n`;
}

export function environmentExample(): string {
  const entries = describedSettings().map(({ name, fallback = '', isRequired, description }) =>
    isRequired ? `# ${description} Required.\n${name}=` : `# ${description}\n# ${name}=${fallback}`,
  );
  return `# Made from the code: npm run generate. npm start needs none of these.\n\n${entries.join('\n\n')}\n`;
}
