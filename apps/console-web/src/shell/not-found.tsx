import { Link } from '@tanstack/react-router';
import { Alone } from './alone.tsx';
import { useTitle } from './page.tsx';

/** Says the same of what never was and of what is another organization's. */
export function NotFoundHere() {
  useTitle('Not found here');
  return (
    <Alone>
      <h1>Not found here</h1>
      <p>There is nothing at this address, or nothing that you may see.</p>
      <p>
        <Link to="/">Go to the start page</Link>
      </p>
    </Alone>
  );
}

/** Shown in place of a page that other roles may see. */
export function NotForYou({ who }: { who: string }) {
  return (
    <Alone>
      <h1>Not for your role</h1>
      <p>{who}</p>
    </Alone>
  );
}
