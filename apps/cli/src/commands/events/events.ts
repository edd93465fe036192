import { openDatabase } from '@relata/db';
import { EventFeed, type FeedQuery, fenceEvents } from '@relata/events';
import { shownEvent } from '@relata/records';
import { type Event, isEventType, uuid } from '@relata/schemas';
import { z } from 'zod';
import { command, type Noun } from '../../command/command.ts';
import { explainRights, ownerSettings } from '../../command/owner-database.ts';
import { page, shownPage } from '../../command/page-options.ts';
import { value, values, wholeNumber } from '../../command/parameter.ts';
import { org } from '../orgs/organization-option.ts';
import { printable } from '../../output/result.format.ts';

const filters = {
  type: values(
    'TYPE',
    z.array(z.string().refine(isEventType, { error: 'Is no type of event.' })).default([]),
    'Only events of this type: account.created, or api_key.* for all of keys; may be repeated',
  ),
  record: value('ID', uuid().optional(), 'Only events of this record'),
};

const list = command({
  name: 'list',
  summary: 'List who changed what, the newest first',
  options: { org, ...filters, ...page },
  examples: ['events list --org ORG_ID', 'events list --org ORG_ID --type contact.* --limit 100'],
  run: async (context, { org: orgId, type, record, limit: shown, before }) => {
    const feed = new EventFeed(context.database);
    return shownPage(context, shown, async (limit) => {
      const query = { ...filterOf(type, record), order: 'desc', limit, waitMs: 0 } as const;
      const { events } = await feed.read(orgId, { ...query, after: before });
      return events.map(shownEvent);
    });
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
    limit: value('N', wholeNumber(1, 1_000).default(1_000), 'End after so many events, up to 1000 (default: 1000)'),
    seconds: value('S', wholeNumber(1, 86_400).default(86_400), 'End after so many seconds (default: a day)'),
  },
  examples: ['events tail --org ORG_ID', 'events tail --org ORG_ID --type opportunity.* --limit 1'],
  run: async ({ database, say }, { org: orgId, type, record, after = 'latest', limit, seconds }) => {
    const feed = new EventFeed(database);
    const deadline = performance.now() + seconds * 1_000;
    const found: ReturnType<typeof shownEvent>[] = [];
    const stopped = new AbortController();
    const stop = () => stopped.abort();
    // A signal ends the command, which then prints the events so far if --json is given. Closed output ends it, too.
    process.once('SIGINT', stop).once('SIGTERM', stop);
    process.stdout.once('error', stop);
    const isOver = () => stopped.signal.aborted || found.length >= limit || performance.now() >= deadline;
    for (let cursor: string = after; !isOver();) {
      const query: FeedQuery = {
        ...filterOf(type, record),
        after: cursor,
        order: 'asc',
        limit: limit - found.length,
        waitMs: Math.max(1, Math.min(waitMs, deadline - performance.now())),
      };
      const { events, nextCursor } = await feed.read(orgId, query, stopped.signal);
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

export const events: Noun = {
  name: 'events',
  summary: 'Who changed what, and when',
  commands: [list, tail, fence],
};
