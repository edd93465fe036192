import type { Panel, Section } from './panel.ts';

/** A position in Grafana: 24 columns, and rows of 30 pixels. */
interface GridPosition {
  x: number;
  y: number;
  w: number;
  h: number;
}

const columns = 24;
const sizes = { value: { w: 3, h: 4 }, lines: { w: 8, h: 8 } };

export type Placed = { gridPos: GridPosition } & ({ section: string } | { panel: Panel });

/** Places each section below the one before: its title, then its panels from left to right. */
export function placed(sections: readonly Section[]): Placed[] {
  let y = 0;
  return sections.flatMap(({ title, panels }) => {
    const line: Placed = { section: title, gridPos: { x: 0, y, w: columns, h: 1 } };
    const below = panelsFrom(y + 1, panels);
    y = Math.max(y + 1, ...below.map(({ gridPos }) => gridPos.y + gridPos.h));
    return [line, ...below];
  });
}

function panelsFrom(top: number, panels: readonly Panel[]): Placed[] {
  let [x, y, lineHeight] = [0, top, 0];
  return panels.map((panel) => {
    const { w, h } = panel.isValue ? sizes.value : sizes.lines;
    if (x + w > columns) [x, y, lineHeight] = [0, y + lineHeight, 0];
    const gridPos = { x, y, w, h };
    [x, lineHeight] = [x + w, Math.max(lineHeight, h)];
    return { panel, gridPos };
  });
}
