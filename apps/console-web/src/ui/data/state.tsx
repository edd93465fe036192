import css from './data.module.css';

export type Tone = 'ok' | 'bad' | 'warn' | 'busy' | 'idle';

const signs: Record<Tone, string> = { ok: '✓', bad: '✕', warn: '⚠', busy: '↻', idle: '–' };

/** A state as an icon, a colour and a word, because a colour alone is not readable for everybody. */
export function State({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span className={`${css.state} ${css[tone]}`}>
      <span aria-hidden>{signs[tone]}</span> {children}
    </span>
  );
}
