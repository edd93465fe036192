import { authorName, type Author } from '../audit/author.ts';
import { RelativeTime } from '../ui/data/time.tsx';

export function Applied({ by, at }: { by: Author | null; at: string }) {
  return (
    <>
      <RelativeTime time={at} />
      {by && ` by ${authorName(by)}`}
    </>
  );
}
