import { authorName, type Author } from '../audit/author.ts';
import { Ago } from '../ui/data/time.tsx';

/** When a version was made, and by whom where that is known. */
export function Applied({ by, at }: { by: Author | null; at: string }) {
  return (
    <>
      <Ago of={at} />
      {by && ` by ${authorName(by)}`}
    </>
  );
}
