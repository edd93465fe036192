import type { Command, Noun } from './command/command.ts';
import { deliveries } from './commands/deliveries/deliveries.noun.ts';
import { demoRequests } from './commands/demo-requests/demo-requests.noun.ts';
import { keys } from './commands/keys/keys.noun.ts';
import { migrate } from './commands/migrate/migrate.command.ts';
import { orgs } from './commands/orgs/orgs.noun.ts';
import { pipelines } from './commands/pipelines/pipelines.noun.ts';
import { runs } from './commands/runs/runs.noun.ts';
import { secrets } from './commands/secrets/secrets.noun.ts';
import { stages } from './commands/stages/stages.noun.ts';
import { triggers } from './commands/triggers/triggers.noun.ts';
import { users } from './commands/users/users.noun.ts';
import { workflows } from './commands/workflows/workflows.noun.ts';

/** Everything that `relata` can do, in the order of the help. */
export const nouns: readonly (Noun | Command)[] = [
  migrate,
  orgs,
  users,
  pipelines,
  stages,
  keys,
  secrets,
  workflows,
  triggers,
  deliveries,
  runs,
  demoRequests,
];
