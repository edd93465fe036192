/**
 * Returns the text if it fits; otherwise the longest beginning that fits together with an ellipsis. It never splits a
 * code point. The caller checks what fits, since most vendors count characters after escaping.
 */
export function cutToFit(text: string, fits: (candidate: string) => boolean): string {
  if (fits(text)) return text;
  const points = Array.from(text);
  let fitting = 0;
  let tooMany = points.length;
  while (tooMany - fitting > 1) {
    const middle = Math.floor((fitting + tooMany) / 2);
    if (fits(beginning(points, middle))) fitting = middle;
    else tooMany = middle;
  }
  return beginning(points, fitting);
}

const beginning = (points: readonly string[], count: number) => `${points.slice(0, count).join('')}…`;
