import type { Event } from '@relata/schemas';
import { printable, tableText } from '../../output/result.format.ts';

/** Events as people read them: a line for each. */
export function eventsText(events: readonly Event[]): string {
  const rows = events.map((event) => ({ ...event, by: actorText(event), changed: event.changed?.join(', ') }));
  return tableText(rows, ['id', 'created_at', 'type', 'record_id', 'by', 'changed']);
}

/** An event on one line. */
export function eventLine(event: Event): string {
  const { created_at: at, type, record_id: id, changed } = event;
  const what = changed ? `  ${changed.join(', ')}` : '';
  return printable(`${at}  ${type}  ${id}  by ${actorText(event)}${what}`);
}

function actorText({ actor, run }: Event): string {
  if (run) return `run ${run.id} of ${run.workflow}, step ${run.step}`;
  return actor.type === 'api_key' ? `key ${actor.name}` : (actor.name ?? actor.type);
}
