import css from './data.module.css';

export type Tone = 'ok' | 'bad' | 'warn' | 'busy' | 'idle';

const signs: Record<Tone, string> = { ok: '✓', bad: '✕', warn: '⚠', busy: '↻', idle: '–' };

/** A state as a sign, a colour and a word; never by colour alone. */
export function State({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span className={`${css.state} ${css[tone]}`}>
      <span aria-hidden>{signs[tone]}</span> {children}
    </span>
  );
}
