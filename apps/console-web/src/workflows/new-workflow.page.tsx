import { useCall } from '../api/queries.ts';
import { NotForYou } from '../shell/not-found.tsx';
import { useOrg } from '../shell/org.ts';
import { Page } from '../shell/page.tsx';
import { Loaded } from '../ui/data/loaded.tsx';
import { definitionText } from './definition-text.ts';
import { Editor } from './editor.tsx';
import { freeName } from './workflow-name.ts';

const beginning = {
  name: 'inbound-lead',
  description: 'Describe the workflow here',
  inputs: { email: { type: 'string', format: 'email', required: true } },
  steps: [{ id: 'log', use: 'activity.create', with: { content: 'Form sent by ${{ inputs.email }}' } }],
};

/** Returns the example with a name that no workflow has yet. */
function beginningBeside(names: readonly string[]): string {
  const { name } = beginning;
  return definitionText({ ...beginning, name: names.includes(name) ? freeName(name, names) : name });
}

export function NewWorkflowPage() {
  const org = useOrg();
  const workflows = useCall('listWorkflows', {});
  if (!org.can('manage'))
    return <NotForYou who={`Only admins of ${org.name} can publish workflows. Ask one of them.`} />;
  return (
    <Page title="New workflow" intro="Write or paste the definition. It runs once you assign it to a trigger.">
      <Loaded query={workflows} lines={12}>
        {({ data }) => <Editor text={beginningBeside(data.map(({ name }) => name))} />}
      </Loaded>
    </Page>
  );
}
