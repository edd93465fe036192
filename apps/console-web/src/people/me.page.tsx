import { call } from '../api/client.ts';
import { keepMe, refresh, useMe } from '../api/queries.ts';
import { Frame } from '../shell/frame.tsx';
import { BackLink } from '../shell/nav.tsx';
import { Page, Panel } from '../shell/page.tsx';
import { TextField } from '../ui/controls/field.tsx';
import { Form, SubmitButton, readText } from '../ui/controls/form.tsx';
import { notify } from '../ui/overlay/notices.tsx';
import { Appearance } from './appearance.tsx';
import css from './people.module.css';
import { Sessions } from './sessions.tsx';
import { SignOut } from './sign-out.tsx';

export function MePage() {
  const { person } = useMe();
  return (
    <Frame nav={<BackLink />}>
      <Page title="Your account" intro={person.email} actions={<SignOut />}>
        <Panel title="Name">
          <NameForm />
        </Panel>
        <Panel title="Password">
          <PasswordForm />
        </Panel>
        <Panel title="Sessions">
          <Sessions />
        </Panel>
        <Panel title="Preferences in this browser">
          <Appearance />
        </Panel>
      </Page>
    </Frame>
  );
}

function NameForm() {
  const { person } = useMe();
  return (
    <div className={`${css.part} ${css.narrow}`}>
      <Form
        send={(data) => call('updateMe', { body: { name: readText(data, 'name') } })}
        onDone={({ data }) => {
          keepMe(data);
          notify('Name saved.');
        }}
      >
        <TextField name="name" label="Name" defaultValue={person.name} autoComplete="name" />
        <div>
          <SubmitButton>Save name</SubmitButton>
        </div>
      </Form>
    </div>
  );
}

function PasswordForm() {
  const { person } = useMe();
  return (
    <div className={`${css.part} ${css.narrow}`}>
      <Form
        key={String(person.has_password)}
        isEmptied
        send={(data) => call('setPassword', { body: passwordsOf(data) })}
        onDone={({ data }) => {
          keepMe(data);
          void refresh('listSessions');
          notify('Password saved. All other sessions were ended.');
        }}
      >
        {person.has_password && (
          <TextField name="password" label="Current password" type="password" autoComplete="current-password" />
        )}
        <TextField
          name="new_password"
          label="New password"
          type="password"
          autoComplete="new-password"
          hint="At least 12 characters. A new password signs you out everywhere else."
        />
        <div>
          <SubmitButton>{person.has_password ? 'Change password' : 'Set password'}</SubmitButton>
        </div>
      </Form>
    </div>
  );
}

function passwordsOf(data: FormData) {
  const password = data.has('password') ? { password: readText(data, 'password') } : {};
  return { new_password: readText(data, 'new_password'), ...password };
}
