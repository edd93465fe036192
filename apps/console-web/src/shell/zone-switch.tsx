import { useAct } from '../ui/acts.ts';
import { browserZone } from '../ui/data/time.tsx';
import { showTimesInUtc, useAreTimesUtc } from '../ui/data/time-zone.ts';
import css from './frame.module.css';

/** Shows all times in UTC, or again in the zone of this browser. On a narrow screen it is there only while it is on. */
export function ZoneSwitch() {
  const isUtc = useAreTimesUtc();
  const change = () => showTimesInUtc(!isUtc);
  useAct('u', isUtc ? `Show times in ${browserZone}` : 'Show times in UTC', change);
  return (
    <button
      type="button"
      className={css.zone}
      aria-pressed={isUtc}
      aria-keyshortcuts="u"
      aria-label="Times in UTC"
      onClick={change}
    >
      UTC
    </button>
  );
}
