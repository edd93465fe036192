import type { Command, Noun } from './command.ts';
import { deliveries } from './deliveries.noun.ts';
import { demoRequests } from './demo-requests.noun.ts';
import { keys } from './keys.noun.ts';
import { migrate } from './migrate.command.ts';
import { orgs } from './orgs.noun.ts';
import { pipelines } from './pipelines.noun.ts';
import { runs } from './runs.noun.ts';
import { secrets } from './secrets.noun.ts';
import { stages } from './stages.noun.ts';
import { triggers } from './triggers.noun.ts';
import { users } from './users.noun.ts';
import { workflows } from './workflows.noun.ts';

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
