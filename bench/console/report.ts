import { tableOf } from '../table.ts';
import { milliseconds, ratio, yesOrNo } from '@relata/testbed/markdown';
import { atOnce, type PageFigures } from './measure.ts';

const p99MsMax = 100;

export function pagesTable(figures: readonly PageFigures[]): string {
  return tableOf(
    figures,
    ['request', ({ title }) => title],
    ['floor p50 ms', ({ floor }) => (floor ? milliseconds(floor.p50Ms) : '')],
    ['p50', ({ alone }) => milliseconds(alone.p50Ms)],
    ['ratio', ({ floor, alone }) => (floor ? ratio(alone.p50Ms / floor.p50Ms) : '')],
    ['floor p99 ms', ({ floor }) => (floor ? milliseconds(floor.p99Ms) : '')],
    ['p99', ({ alone }) => milliseconds(alone.p99Ms)],
    [`p50, ${atOnce} at once`, ({ together }) => milliseconds(together.p50Ms)],
    [`p99, ${atOnce} at once`, ({ together }) => milliseconds(together.p99Ms)],
    ['target', () => `p99 < ${p99MsMax}`],
    ['holds', ({ alone, together }) => yesOrNo(alone.p99Ms < p99MsMax && together.p99Ms < p99MsMax)],
  );
}
