import { appNames } from '../services.ts';
import type { Rolled } from './rolling.ts';

interface CheckedClaim {
  claim: string;
  problems: readonly string[];
}

const problemsShown = 10;

/** Returns the counts of requests, the ends of replicas and the claims, as Markdown. */
export function reportOf({ tally, effects, stopped }: Rolled, checked: readonly CheckedClaim[]): string {
  const asked = Object.entries(tally.counts).map(([what, count]) => `${count} ${what}`);
  const ended = appNames.map((app) => {
    const seconds = stopped.filter((each) => each.app === app).map(({ tookMs }) => (tookMs / 1_000).toFixed(1));
    return `- ${app}: ended after ${seconds.join(' and ')} s`;
  });
  const held = checked.flatMap(({ claim, problems }) => [
    `- ${problems.length === 0 ? 'holds' : '**does not hold**'}: ${claim}`,
    ...problems.slice(0, problemsShown).map((problem) => `  - ${problem}`),
  ]);
  const summary = `Answered: ${asked.join(', ')}; ${effects.runs['succeeded'] ?? 0} runs succeeded.`;
  return [summary, '', ...ended, '', ...held].join('\n');
}
