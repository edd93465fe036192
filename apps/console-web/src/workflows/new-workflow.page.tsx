import { call } from '../api/client.ts';
import { NotForYou } from '../shell/not-found.tsx';
import { useOrg } from '../shell/org.ts';
import { Page } from '../shell/page.tsx';
import { definitionText } from './definition-text.ts';
import { Editor } from './editor.tsx';

const beginning = definitionText({
  name: 'inbound-lead',
  description: 'What it is for',
  inputs: { email: { type: 'string', format: 'email', required: true } },
  steps: [{ id: 'log', use: 'activity.create', with: { content: 'Form sent by ${{ inputs.email }}' } }],
});

export function NewWorkflowPage() {
  const org = useOrg();
  if (!org.can('manage'))
    return <NotForYou who={`The workflows of ${org.name} are published by its admins. Ask one of them.`} />;
  return (
    <Page
      title="New workflow"
      intro="Write or paste its definition. It starts nothing until it is assigned to a trigger."
    >
      <Editor
        text={beginning}
        note=""
        base={undefined}
        readNewest={undefined}
        publish={(body) => call('createWorkflow', { params: { org: org.id }, body })}
      />
    </Page>
  );
}
