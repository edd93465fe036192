import type { Preview } from '../../api/types.ts';
import { Button } from '../../ui/controls/button.tsx';
import { State, type Tone } from '../../ui/data/state.tsx';
import { TimeOfDay } from '../../ui/data/time.tsx';
import css from './map.module.css';

type PreviewedDelivery = Preview['deliveries'][number];

const words: Record<PreviewedDelivery['verdict'], readonly [tone: Tone, word: string]> = {
  starts: ['ok', 'starts'],
  fails: ['bad', 'would fail'],
  filtered: ['idle', 'filtered'],
  filter_failed: ['bad', 'filter failed'],
  refused: ['bad', 'refused'],
  not_judged: ['warn', 'not checked'],
};

const limits = {
  bytes: 'Only the newest 4 MB of bodies are checked.',
  time: 'The check took too long, so older deliveries were left out.',
};

interface VerdictsProps {
  preview: Preview;
  isOfNow: boolean;
  shown: string | undefined;
  onShow: (id: string) => void;
}

export function Verdicts({ preview: { deliveries, limit_reached: limit }, isOfNow, shown, onShow }: VerdictsProps) {
  if (deliveries.length === 0)
    return <p className={css.note}>Once deliveries are received, this shows which of them would start the workflow.</p>;
  return (
    <section aria-label="Preview" aria-busy={!isOfNow}>
      <p role="status">{countsText(deliveries)}</p>
      {limit && <p className={css.note}>{limits[limit]}</p>}
      <ul className={css.verdicts}>
        {deliveries.map((previewed) => (
          <li key={previewed.id} aria-current={previewed.id === shown || undefined}>
            <Button variant="link" onClick={() => onShow(previewed.id)}>
              <TimeOfDay time={previewed.received_at} />
            </Button>
            <State tone={words[previewed.verdict][0]}>{words[previewed.verdict][1]}</State>
            <span>{reasonOf(previewed)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Returns a summary: `14 of the last 20 would start the workflow · 5 filtered · 1 refused`. */
function countsText(deliveries: readonly PreviewedDelivery[]): string {
  const count = (verdict: PreviewedDelivery['verdict']) =>
    deliveries.filter((previewed) => previewed.verdict === verdict).length;
  const starting = count('starts');
  const begin =
    deliveries.length === 1
      ? `The last delivery would ${starting === 1 ? 'start' : 'not start'} the workflow`
      : `${starting} of the last ${deliveries.length} would start the workflow`;
  const others = (['fails', 'filtered', 'filter_failed', 'refused', 'not_judged'] as const).filter(
    (verdict) => count(verdict) > 0,
  );
  return [begin, ...others.map((verdict) => `${count(verdict)} ${words[verdict][1]}`)].join(' · ');
}

function reasonOf({ problems, message, fails }: PreviewedDelivery): string {
  if (message) return message;
  if (fails) return `${fails.is_certain ? 'At' : 'May fail at'} ${fails.step}: ${fails.message}`;
  return problems.map((problem) => `${problem.message}.`).join(' ');
}
