import type { Finding } from '@relata/diagnosis';

/** A line for each check, and below it what to do. */
export function findingsText(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  return findings
    .map(({ check, level, found, advice }) => {
      const line = `${level.padEnd(7)}  ${check.padEnd(width)}  ${found}`;
      return advice === null ? line : `${line}\n${' '.repeat(width + 11)}${advice}`;
    })
    .join('\n');
}
