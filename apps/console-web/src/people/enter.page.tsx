import { useQuery } from '@tanstack/react-query';
import { Link as RouterLink, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { call } from '../api/client.ts';
import { type ApiFailure, asFailure } from '../api/failure.ts';
import { keepMe } from '../api/queries.ts';
import type { Link } from '../api/types.ts';
import { Checkbox, TextField } from '../ui/controls/field.tsx';
import { Form, SubmitButton } from '../ui/controls/form.tsx';
import { Loaded } from '../ui/data/loaded.tsx';
import { Skeleton } from '../ui/data/empty.tsx';
import { ErrorAlert } from '../ui/data/error-alert.tsx';
import { AuthLayout } from './auth-layout.tsx';
import css from './people.module.css';
import { forgetLinkToken, linkToken, type LinkToken, takeLinkToken } from './link-token.ts';

/** Redeems the one-time link whose token was in the address. */
export function EnterPage() {
  const [taken, setTaken] = useState(linkToken);
  useEffect(() => {
    // Pasting another link into this tab changes only the fragment, so the page is not loaded again.
    const onHash = () => {
      takeLinkToken();
      setTaken(linkToken());
    };
    addEventListener('hashchange', onHash);
    return () => removeEventListener('hashchange', onHash);
  }, []);
  return taken ? <LinkDoor taken={taken} key={taken.number} /> : <NoLink />;
}

function NoLink() {
  return (
    <AuthLayout title="Open your link">
      <p>Open the complete link, including the part after #. Each link works once.</p>
      <RouterLink to="/sign-in">Sign in with a password</RouterLink>
    </AuthLayout>
  );
}

function LinkDoor({ taken: { token, number } }: { taken: LinkToken }) {
  const link = useQuery({
    // The query key uses the number instead of the token, because the cache keeps it after this page has closed.
    queryKey: ['readLink', number],
    queryFn: ({ signal }) => call('readLink', { body: { token } }, signal),
    gcTime: 0,
    staleTime: Infinity,
  });
  if (link.error) return <EndedLink failure={asFailure(link.error)} onRetry={() => void link.refetch()} />;
  return (
    <Loaded query={link} lines={3}>
      {({ data }) => (data.needs.length > 0 ? <LinkForm token={token} link={data} /> : <EnterAtOnce token={token} />)}
    </Loaded>
  );
}

function useEntered() {
  const navigate = useNavigate();
  return ({ data }: Awaited<ReturnType<typeof enterWith>>) => {
    forgetLinkToken();
    keepMe(data);
    void navigate({ to: '/', replace: true });
  };
}

/** Redeems the token. A reset also sends the ticked organizations, in which the person remains a member. */
function enterWith(token: string, data?: FormData, isReset = false) {
  const { keep: _, ...given } = Object.fromEntries(data?.entries() ?? []);
  return call('enter', { body: { token, ...given, ...(isReset && { keep: data!.getAll('keep') as string[] }) } });
}

function EnterAtOnce({ token }: { token: string }) {
  const onEntered = useEntered();
  const [failure, setFailure] = useState<ApiFailure>();
  const enter = () => enterWith(token).then(onEntered, (error: unknown) => setFailure(asFailure(error)));
  useEffect(() => void enter(), []);
  if (failure) return <EndedLink failure={failure} onRetry={() => void enter()} />;
  return (
    <AuthLayout title="Signing in">
      <Skeleton lines={3} />
    </AuthLayout>
  );
}

function EndedLink({ failure, onRetry }: { failure: ApiFailure; onRetry: () => void }) {
  if (failure.code !== 'link_ended')
    return (
      <AuthLayout title="Could not open the link">
        <ErrorAlert failure={failure} onRetry={onRetry} />
      </AuthLayout>
    );
  return (
    <AuthLayout title="This link was used or has expired">
      <p>Each link works once. To get a new one:</p>
      <ul className={css.ways}>
        <li>
          Run <code>npm start</code> again: it prints a new link.
        </li>
        <li>
          Ask an operator to run <code>relata people reset EMAIL</code>, or <code>relata people link --operator</code>{' '}
          for an operator.
        </li>
        <li>Ask an admin of your organization to invite you again, under Members.</li>
      </ul>
      <RouterLink to="/sign-in">Sign in with a password</RouterLink>
    </AuthLayout>
  );
}

const titles: Record<Link['kind'], string> = {
  setup: 'Set up the console',
  invite: 'Join',
  reset: 'Set a new password',
  local: 'Sign in',
};

function LinkForm({ token, link }: { token: string; link: Link }) {
  const onEntered = useEntered();
  const { needs, organization, role, email, name } = link;
  return (
    <AuthLayout title={organization ? `${titles[link.kind]} ${organization.name}` : titles[link.kind]}>
      {role && organization && (
        <p>
          You are invited to {organization.name} with the role {role}.
        </p>
      )}
      {needs.includes('password') && (
        <p>
          This e-mail address already has an account. Enter its password. If you did not set it, ask an operator for a
          link from <code>relata people reset {email}</code>. With that link you set your own password, end all other
          sessions and leave organizations that you did not join.
        </p>
      )}
      <Form send={(data) => enterWith(token, data, link.kind === 'reset')} onDone={onEntered}>
        {needs.includes('email') ? (
          <TextField name="email" label="E-mail" type="email" autoComplete="username" autoFocus />
        ) : (
          email && <p>{email}</p>
        )}
        {needs.includes('name') && (
          <TextField name="name" label="Your name" defaultValue={name ?? ''} autoComplete="name" />
        )}
        {needs.includes('new_password') && (
          <TextField
            name="new_password"
            label="New password"
            type="password"
            autoComplete="new-password"
            hint="At least 12 characters."
          />
        )}
        {link.memberships.length > 0 && <Memberships link={link} />}
        {needs.includes('password') && (
          <TextField
            name="password"
            label="Password"
            type="password"
            autoComplete="current-password"
            hint="The password of your existing account."
          />
        )}
        <SubmitButton variant="primary">{link.kind === 'invite' ? 'Join' : 'Sign in'}</SubmitButton>
      </Form>
    </AuthLayout>
  );
}

function Memberships({ link: { memberships } }: { link: Link }) {
  return (
    <fieldset>
      <legend>Remain a member of</legend>
      {memberships.map(({ organization, role }) => (
        <Checkbox key={organization.id} name="keep" value={organization.id} defaultChecked>
          {organization.name}, as {role}
        </Checkbox>
      ))}
      <p>Clear the checkboxes of organizations that you did not join. All other sessions end either way.</p>
    </fieldset>
  );
}
