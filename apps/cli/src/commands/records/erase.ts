import { setImmediate } from 'node:timers/promises';
import { Executor } from '@relata/db';
import { erasureMeta, eraseUnit, findKnownTexts, recordTables } from '@relata/records';
import { longText, uuid } from '@relata/schemas';
import { AppError } from '@relata/schemas/errors';
import { eraseRefusedPosts, eraseRunsPage } from '@relata/workflows/deliveries';
import { z } from 'zod';
import { command, type CommandContext } from '../../command/command.ts';
import { flag, value, values } from '../../command/parameter.ts';
import { hinted } from '../../output/operation.error.ts';
import { org } from '../orgs/organization-option.ts';

/** Minimum length of a text to look for, in characters. Most deliveries would contain a shorter text. */
const textMin = 5;

type Erased = Omit<ReturnType<typeof erasureMeta>, 'action'>;

/** Numbers of deleted objects. `active` counts deliveries that stay because one of their runs has not ended. */
interface ErasedRuns {
  deliveries: number;
  runs: number;
  active: number;
  refused_posts: number;
}

interface Erasing {
  kind: string;
  id: string;
  org: string;
  cascade: boolean;
  activities: boolean;
  dry_run: boolean;
}

/** Creates the command that erases a record of one of these kinds. */
export const eraseCommand = (kinds: readonly string[]) =>
  command({
    name: 'erase',
    summary: 'Erase a record for good, with its history and the records merged into it',
    arguments: {
      kind: value('KIND', z.enum(kinds), `One of: ${kinds.join(', ')}`),
      id: value('ID', uuid(), 'Id of the record, wherever it is: in use, in the trash, merged or purged'),
    },
    options: {
      org,
      activities: flag('Erase all activities that are linked to it, too'),
      cascade: flag('Erase the records that cannot exist without it, too'),
      also_runs: flag('Delete deliveries and runs that contain its id, or the email or full name of a person'),
      text: values(
        'TEXT',
        z.array(longText(textMin)).max(1_000).default([]),
        'With --also-runs: another text to look for',
      ),
      dry_run: flag('Only count what would be erased'),
      yes: flag('Required: confirms that the record cannot be restored'),
    },
    examples: [
      'records erase contact CONTACT_ID --org ORG_ID --dry-run',
      'records erase contact CONTACT_ID --org ORG_ID --activities --also-runs --yes',
    ],
    check: ({ yes, dry_run: isDryRun, text, also_runs: alsoRuns }) => {
      if (!yes && !isDryRun) return '--yes: Is required, since an erase cannot be undone. To count first: --dry-run';
      return text.length > 0 && !alsoRuns ? '--text: Needs --also-runs' : undefined;
    },
    note: (result) =>
      'active' in result && result.active
        ? 'Some deliveries have runs that have not ended. Cancel them or wait, and repeat the command with these texts.'
        : undefined,
    run: async (context, { text: more, also_runs: alsoRuns, yes: _yes, ...given }) => {
      const { kind, id, org } = given;
      const hints = { in_use: 'Use --cascade to erase them, too.', not_found: 'No data of this record is stored.' };
      if (!alsoRuns) return { id, ...(await hinted(eraseRecord(context, given), hints)) };
      const table = recordTables.find(({ eventName }) => eventName === kind)!;
      const known = await findKnownTexts(context.database, org, table, id);
      const texts = [...new Set([...known.filter(({ length }) => length >= textMin), ...more])];
      context.say(`Looking for: ${texts.map((text) => `--text ${quoted(text)}`).join(' ')}`);
      // A dry run comes first, so that an erase that is refused deletes no deliveries.
      const counted = await hinted(eraseRecord(context, { ...given, dry_run: true }).catch(unlessGone), hints);
      const before = await eraseRuns(context, org, texts, given.dry_run);
      if (given.dry_run) return { id, ...counted, ...before, texts };
      // The texts come from the record, so the deliveries are erased first. If that fails, the record still exists, and
      // a repeated command finds the same texts.
      const erased = await hinted(eraseRecord(context, given).catch(unlessGone), hints);
      const after = await eraseRuns(context, org, texts, false);
      return { id, ...erased, ...together(before, after), texts };
    },
  });

/** Quotes a text for a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/**
 * Adds up the results of two searches. Takes `active` from the second search, because it counts again what the first
 * one could not delete.
 */
function together(before: ErasedRuns, { active, ...after }: ErasedRuns): ErasedRuns {
  return {
    deliveries: before.deliveries + after.deliveries,
    runs: before.runs + after.runs,
    active,
    refused_posts: before.refused_posts + after.refused_posts,
  };
}

/** Ignores the error that the record does not exist, because its deliveries can still be searched. */
function unlessGone(error: unknown): undefined {
  if (!(error instanceof AppError && error.code === 'not_found')) throw error;
}

/** Erases the record. If one request would take too long, repeats the request until everything is erased. */
async function eraseRecord(
  context: CommandContext,
  { kind, id, org, dry_run: isDryRun, ...how }: Erasing,
): Promise<Erased> {
  const table = recordTables.find(({ eventName }) => eventName === kind)!;
  const executor = new Executor(context.database);
  const unit = eraseUnit(context.actorIn(org), table, { id, ...how }, { isDryRun });
  for (;;) {
    try {
      const { action: _erased, ...counts } = erasureMeta(
        await executor.runAlone(unit, { isBulk: true, rollsBack: isDryRun }),
      );
      return counts;
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'service_unavailable')) throw error;
      context.say(error.message.replace(/ Repeat.*/, ''));
    }
  }
}

/** Deletes deliveries, runs and refused posts with one of the texts, page by page. */
async function eraseRuns(
  { database }: CommandContext,
  org: string,
  texts: string[],
  isDryRun: boolean,
): Promise<ErasedRuns> {
  const on = { database, takeTurn: () => setImmediate() };
  const all = { deliveries: 0, runs: 0, active: 0 };
  for (let before: string | undefined, isFirst = true; isFirst || before !== undefined; isFirst = false) {
    const { next, ...page } = await eraseRunsPage(on, org, {
      texts,
      isDryRun,
      ...(before !== undefined && { before }),
    });
    for (const name of ['deliveries', 'runs', 'active'] as const) all[name] += page[name];
    before = next;
  }
  return { ...all, refused_posts: await eraseRefusedPosts(on, org, { texts, isDryRun }) };
}
