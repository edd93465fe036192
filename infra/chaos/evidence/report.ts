import { type Check, holds } from '../checks/check.ts';
import type { Figure } from './figures.ts';

const faultsShown = 5;

/** Returns the figures as a table, and each check with the number of items that were checked. */
export function reportOf(figures: readonly Figure[], checks: readonly Check[]): string {
  const width = Math.max(...figures.map(([name]) => name.length), ...checks.map(({ claim }) => claim.length + 5));
  const lines = figures.map(([name, value]) => `${name.padEnd(width)}  ${value.padStart(9)}`);
  return [...lines, '', ...checks.flatMap((check) => describe(check, width))].join('\n');
}

function describe(check: Check, width: number): string[] {
  const { claim, size, faults } = check;
  const verdict = holds(check) ? 'ok  ' : 'FAIL';
  const shown = faults.slice(0, faultsShown).map((fault) => `       ${fault}`);
  const more = faults.length > faultsShown ? [`       and ${faults.length - faultsShown} more`] : [];
  return [`${`${verdict} ${claim}`.padEnd(width)}  ${`${faults.length}/${size}`.padStart(9)}`, ...shown, ...more];
}
