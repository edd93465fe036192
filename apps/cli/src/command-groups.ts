import type { Command, CommandGroup } from './command/command.ts';
import { backup } from './commands/backup/backup.ts';
import { restore } from './commands/backup/restore.ts';
import { deliveries } from './commands/deliveries/deliveries.ts';
import { demo } from './commands/demo/demo.ts';
import { demoRequests } from './commands/demo-requests/demo-requests.ts';
import { doctor } from './commands/doctor/doctor.ts';
import { events } from './commands/events/events.ts';
import { indexes } from './commands/indexes/indexes.ts';
import { keys } from './commands/keys/keys.ts';
import { migrate } from './commands/migrate/migrate.ts';
import { notify } from './commands/notify/notify.ts';
import { orgs } from './commands/orgs/orgs.ts';
import { people } from './commands/people/people.ts';
import { pipelines } from './commands/pipelines/pipelines.ts';
import { problems } from './commands/problems/problems.ts';
import { records } from './commands/records/records.ts';
import { runs } from './commands/runs/runs.ts';
import { secrets } from './commands/secrets/secrets.ts';
import { stages } from './commands/stages/stages.ts';
import { trash } from './commands/trash/trash.ts';
import { triggers } from './commands/triggers/triggers.ts';
import { users } from './commands/users/users.ts';
import { workflows } from './commands/workflows/workflows.ts';

/** All commands of `relata`, in the order of the help. */
export const commandGroups: readonly (CommandGroup | Command)[] = [
  migrate,
  indexes,
  doctor,
  backup,
  restore,
  orgs,
  users,
  people,
  pipelines,
  stages,
  records,
  trash,
  keys,
  secrets,
  workflows,
  triggers,
  deliveries,
  runs,
  problems,
  notify,
  events,
  demoRequests,
  demo,
];
