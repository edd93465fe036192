import { authorName, type Author } from '../audit/author.ts';
import { Ago } from '../ui/data/time.tsx';

export function Applied({ by, at }: { by: Author | null; at: string }) {
  return (
    <>
      <Ago time={at} />
      {by && ` by ${authorName(by)}`}
    </>
  );
}
