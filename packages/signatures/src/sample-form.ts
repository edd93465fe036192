import type { Sample } from './kind.ts';

/** Returns a form as a site posts it, for the kinds that belong to no maker. */
export function sampleForm(id: string): Sample {
  const body = {
    id,
    email: 'ada@example.com',
    name: 'Ada Lovelace',
    company: 'Example Robotics',
    message: 'We would like a demo.',
  };
  return { headers: {}, body };
}
