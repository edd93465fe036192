import { useNavigate, useSearch } from '@tanstack/react-router';
import { call } from '../api/client.ts';
import { keepMe } from '../api/queries.ts';
import { TextField } from '../ui/controls/field.tsx';
import { Form, SubmitButton, readText } from '../ui/controls/form.tsx';
import { AuthLayout } from './auth-layout.tsx';

export function SignInPage() {
  const { to } = useSearch({ from: '/sign-in' });
  const navigate = useNavigate();
  return (
    <AuthLayout title="Sign in">
      <Form
        isThrowaway
        send={(data) =>
          call('signIn', { body: { email: readText(data, 'email'), password: readText(data, 'password') } })
        }
        onDone={({ data }) => {
          keepMe(data);
          void navigate({ to: isOwnPage(to) ? to : '/', replace: true });
        }}
      >
        <TextField name="email" label="E-mail" type="email" autoComplete="username" autoFocus />
        <TextField name="password" label="Password" type="password" autoComplete="current-password" />
        <SubmitButton variant="primary">Sign in</SubmitButton>
      </Form>
      <p>
        Forgot your password? Ask an operator to run <code>relata people reset EMAIL</code> and send you the link.
      </p>
    </AuthLayout>
  );
}

/** Returns true if `to`, a parameter of the address, is a page of the console. */
function isOwnPage(to: string | undefined): to is string {
  return to !== undefined && /^\/(?![/\\])/.test(to);
}
