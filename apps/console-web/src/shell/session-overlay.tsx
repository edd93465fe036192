import { useEffect } from 'react';
import { call, findMe } from '../api/client.ts';
import { keepMe, useMe } from '../api/queries.ts';
import { Button } from '../ui/controls/button.tsx';
import { TextField } from '../ui/controls/field.tsx';
import { Form, SubmitButton, readText } from '../ui/controls/form.tsx';
import { Dialog } from '../ui/overlay/dialog.tsx';

/** Asks for the password over the page. Waiting requests continue once the same person has signed in. */
export default function SessionOverlay() {
  const { person } = useMe();
  useSignInElsewhere();
  return (
    <Dialog title="Your session has ended" isAlert>
      <p>Your input is kept. Sign in to continue where you left off.</p>
      <Form
        isThrowaway
        send={(data) => call('signIn', { body: { email: person.email, password: readText(data, 'password') } })}
        onDone={({ data }) => keepMe(data)}
      >
        <TextField name="email" label="E-mail" type="email" value={person.email} readOnly autoComplete="username" />
        <TextField name="password" label="Password" type="password" autoComplete="current-password" autoFocus />
        {!person.has_password && <p>You have not set a password. Open a new link in another tab, then return here.</p>}
        <SubmitButton variant="primary">Sign in</SubmitButton>
        <Button variant="quiet" onClick={() => location.assign('/console/sign-in')}>
          Sign in as someone else
        </Button>
      </Form>
    </Dialog>
  );
}

/** Continues if somebody signed in, or redeemed a link, in another tab. Checks when this tab becomes visible. */
function useSignInElsewhere(): void {
  useEffect(() => {
    const look = () => {
      if (document.hidden) return;
      void findMe().then((me) => me && keepMe(me));
    };
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
}
