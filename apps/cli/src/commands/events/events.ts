import { openDatabase } from '@relata/db';
import { EventFeed, type FeedPage, fenceEvents } from '@relata/events';
import { shownEvent } from '@relata/records';
import { type Event, isEventType, uuid } from '@relata/schemas';
import { z } from 'zod';
import { command, type CommandGroup } from '../../command/command.ts';
import { explainRights, ownerSettings } from '../../command/owner-database.ts';
import { page } from '../../command/page-options.ts';
import { value, values, integer } from '../../command/parameter.ts';
import { org } from '../orgs/organization-option.ts';
import { readSettled } from './settled-page.ts';
import { printable } from '../../output/result.format.ts';

const filters = {
  type: values(
    'TYPE',
    z.array(z.string().refine(isEventType, { error: 'Is not a type of event.' })).default([]),
    'Only events of this type, such as account.created, or api_key.* for all events of keys; repeatable',
  ),
  record: value('ID', uuid().optional(), 'Only events of this record'),
};

/** Maximum number of pages per list. Each examines up to 20,000 events and has about 1 MB of text at most. */
const pagesMax = 100;

const list = command({
  name: 'list',
  summary: 'List who changed what, the newest first',
  options: { org, ...filters, ...page },
  examples: ['events list --org ORG_ID', 'events list --org ORG_ID --type contact.* --limit 100'],
  run: async ({ database, afterwards }, { org: orgId, type, record, limit, before }) => {
    const feed = new EventFeed(database);
    const query = { ...filterOf(type, record), order: 'desc', waitMs: 0 } as const;
    const found: ReturnType<typeof shownEvent>[] = [];
    let last: FeedPage | undefined;
    for (let pages = 0; pages < pagesMax && found.length < limit && last?.hasMore !== false; pages++) {
      const after = last?.nextCursor ?? before;
      last = await readSettled(feed, orgId, { ...query, after, limit: limit - found.length });
      found.push(...last.events.map(shownEvent));
    }
    if (last?.hasMore) afterwards(`There may be more. Continue: --before ${last.nextCursor}`);
    return found;
  },
  columns: [
    'id',
    'created_at',
    'type',
    'record_id',
    ['by', actorText],
    ['changed', ({ changed }) => changed?.join(', ')],
  ],
});

const waitMs = 10_000;

const tail = command({
  name: 'tail',
  summary: 'Show changes as they happen, until interrupted',
  options: {
    org,
    ...filters,
    after: value('ID', uuid().optional(), 'Continue after this event (default: only new events)'),
    limit: value('N', integer(1, 1_000).default(1_000), 'End after this many events, up to 1000 (default: 1000)'),
    seconds: value('S', integer(1, 86_400).default(86_400), 'End after this many seconds (default: a day)'),
  },
  examples: ['events tail --org ORG_ID', 'events tail --org ORG_ID --type opportunity.* --limit 1'],
  run: async ({ database, say }, { org: orgId, type, record, after = 'latest', limit, seconds }) => {
    const feed = new EventFeed(database);
    const found: ReturnType<typeof shownEvent>[] = [];
    const stopped = new AbortController();
    const stop = () => stopped.abort();
    // A signal ends the command, which then prints the events so far if --json is given. Closed output ends the
    // command, too.
    process.once('SIGINT', stop).once('SIGTERM', stop);
    process.stdout.once('error', stop);
    const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(seconds * 1_000)]);
    const query = { ...filterOf(type, record), order: 'asc', waitMs } as const;
    for (let cursor: string = after; !signal.aborted && found.length < limit;) {
      const given = { ...query, after: cursor, limit: limit - found.length };
      const { events, nextCursor } = await readSettled(feed, orgId, given, { signal });
      cursor = nextCursor;
      for (const event of events.map(shownEvent)) {
        say(eventLine(event));
        found.push(event);
      }
    }
    return found;
  },
  view: () => '',
});

const fence = command({
  name: 'fence',
  summary: 'After a database restore: advance the event sequence, so that no reader misses an event',
  examples: ['events fence'],
  run: async ({ databaseUrl, operator, stack }) => {
    const { migrationUrl: url = databaseUrl } = ownerSettings();
    const database = stack.use(openDatabase({ url, name: 'relata-cli', poolMax: 1 }));
    return fenceEvents({ database }, operator).catch(explainRights('move the sequence of events'));
  },
});

function filterOf(types: readonly string[], recordId: string | undefined) {
  return { types: types.length > 0 ? types : undefined, recordId };
}

function eventLine(event: Event): string {
  const { created_at: at, type, record_id: id, changed } = event;
  const what = changed ? `  ${changed.join(', ')}` : '';
  return printable(`${at}  ${type}  ${id}  by ${actorText(event)}${what}`);
}

function actorText({ actor, run }: Event): string {
  if (run) return `run ${run.id} of ${run.workflow}, step ${run.step}`;
  return actor.type === 'api_key' ? `key ${actor.name}` : (actor.name ?? actor.type);
}

export const events: CommandGroup = {
  name: 'events',
  summary: 'Who changed what, and when',
  commands: [list, tail, fence],
};
