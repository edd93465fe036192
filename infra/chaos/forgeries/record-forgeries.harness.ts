import type { Evidence } from '../evidence/evidence.ts';
import { changed, type Forgery, withStatus } from './forgery.harness.ts';

/** Forgeries of writes through the API, and of events. */
export const recordForgeries: readonly Forgery[] = [
  [
    'a write with an Idempotency-Key is answered (B1.6)',
    ({ apiWrites }) => ({ apiWrites: changed(apiWrites, isNamed, () => ({ attempts: [], replay: undefined })) }),
  ],
  [
    'a write with an Idempotency-Key is done once, however often it is sent (B1.6, B2.5, B6.4)',
    ({ apiWrites, records }) => {
      const { makes } = apiWrites
        .filter(isNamed)
        .reduce((one, other) => (other.makes.length > one.makes.length ? other : one));
      const email = makes.at(-1);
      return { records: [...records, records.find(({ record }) => record['email'] === email)!] };
    },
  ],
  [
    'answers to one Idempotency-Key are identical, and all but one are replays',
    ({ apiWrites }) => ({
      apiWrites: changed(apiWrites, isNamed, ({ replay }) => ({ replay: { ...replay!, text: `${replay!.text} ` } })),
    }),
  ],
  [
    'the answer to a write shows the same record as its event',
    ({ feeds }) => ({
      feeds: changedEvents(
        feeds,
        ({ actor }) => actor.type === 'api_key',
        ({ record }) => ({ record: { ...record, id: '' } }),
      ),
    }),
  ],
  [
    'every write gets the expected answer',
    ({ apiWrites }) => ({ apiWrites: apiWrites.map((write) => withStatus(write, 500)) }),
  ],
  [
    'every reader of the feed sees every event once (B3.2)',
    ({ feeds }) => ({ feeds: changed(feeds, isSecond(feeds), ({ events }) => ({ events: events.toSpliced(1, 1) })) }),
  ],
  [
    'all readers see the events in one ascending order (B3.2)',
    ({ feeds }) => ({
      feeds: changed(feeds, isSecond(feeds), ({ events: [first, ...rest] }) => ({ events: [...rest, first!] })),
    }),
  ],
  [
    'each change in the feed continues from the previous state of its record (acceptance B3.2)',
    ({ feeds }) => ({ feeds: changedEvents(feeds, isUpdate, () => ({ previous: { city: 'another' } })) }),
  ],
  [
    'the history of a record equals its events in the feed',
    ({ histories }) => ({ histories: new Map([...histories].map(([id, history]) => [id, history.slice(1)])) }),
  ],
  [
    'the events of a record lead to its current state',
    ({ records }) => ({
      records: changed(
        records,
        () => true,
        ({ record }) => ({ record: { ...record, more: 1 } }),
      ),
    }),
  ],
  [
    'an acknowledged write has its event (B3.1)',
    ({ feeds }) => ({ feeds: feeds.map((feed) => ({ ...feed, events: feed.events.filter(({ run }) => run) })) }),
  ],
  ['every event belongs to a write (B3.1)', ({ apiWrites }) => ({ apiWrites: apiWrites.slice(1) })],
  [
    'each step that changed a record has its event, and no other step has one (B3.1)',
    ({ stepChanges }) => ({ stepChanges: stepChanges.slice(1) }),
  ],
];

const isNamed = (write: Evidence['apiWrites'][number]) => write.isNamed;
const isUpdate = ({ type }: FeedEvent) => type.endsWith('.updated');
const isSecond = (feeds: Evidence['feeds']) => (feed: Evidence['feeds'][number]) => feed === feeds[1];

type FeedEvent = Evidence['feeds'][number]['events'][number];

/** Changes an event for every reader. */
function changedEvents(
  feeds: Evidence['feeds'],
  isMeant: (event: FeedEvent) => boolean,
  change: (event: FeedEvent) => Partial<FeedEvent>,
): Evidence['feeds'] {
  return feeds.map((feed) => ({ ...feed, events: changed(feed.events, isMeant, change) }));
}
