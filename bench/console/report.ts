import { count, markdownTable, milliseconds, ratio, yesOrNo } from '@relata/testbed/markdown';
import { atOnce, type PageFigures } from './measure.ts';

/** The targets; see the issue that set them. */
const p99MsMax = 100;
const residentMegabytesMax = 200;

export function pagesTable(figures: readonly PageFigures[]): string {
  const head = ['what is asked for', 'floor p50 ms', 'p50', 'ratio', 'floor p99 ms', 'p99'];
  return markdownTable(
    [...head, `p50, ${atOnce} at once`, `p99, ${atOnce} at once`, 'target', 'holds'],
    figures.map(pageRow),
  );
}

function pageRow({ title, alone, together, floor }: PageFigures): string[] {
  return [
    title,
    floor ? milliseconds(floor.p50Ms) : '',
    milliseconds(alone.p50Ms),
    floor ? ratio(alone.p50Ms / floor.p50Ms) : '',
    floor ? milliseconds(floor.p99Ms) : '',
    milliseconds(alone.p99Ms),
    milliseconds(together.p50Ms),
    milliseconds(together.p99Ms),
    `p99 < ${p99MsMax}`,
    yesOrNo(alone.p99Ms < p99MsMax && together.p99Ms < p99MsMax),
  ];
}

export function memoryLine(bytes: number | undefined): string {
  if (bytes === undefined) return 'Resident memory is only known on Linux.';
  const megabytes = bytes / 1e6;
  const holds = yesOrNo(megabytes < residentMegabytesMax);
  return `Resident memory of the console under this load: at most ${count(megabytes)} MB (target: under ${residentMegabytesMax} MB, holds: ${holds}).`;
}
