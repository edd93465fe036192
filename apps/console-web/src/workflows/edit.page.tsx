import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { Workflow } from '../api/types.ts';
import { NotForYou } from '../shell/not-found.tsx';
import { useOrg } from '../shell/org.ts';
import { LoadedRecord } from '../ui/data/loaded.tsx';
import { Hint } from '../ui/data/error-alert.tsx';
import { definitionText, lineOfStep } from './definition-text.ts';
import { Editor } from './editor.tsx';
import { useWorkflow } from './use-workflow.ts';

export function EditPage() {
  const org = useOrg();
  const { id } = useParams({ from: '/signed-in/o/$org/workflows/$id' });
  const navigate = useNavigate({ from: '/o/$org/workflows/$id/edit' });
  const [round, setRound] = useState(0);
  const { version, step } = useSearch({ from: '/signed-in/o/$org/workflows/$id/edit' });
  const workflow = useWorkflow(id);
  const restored = useWorkflow(id, version);
  if (!org.can('manage'))
    return <NotForYou who={`Only admins of ${org.name} can publish workflows. Ask one of them.`} />;
  const again = () => {
    setRound(round + 1);
    void navigate({ search: {} });
  };
  return (
    <LoadedRecord query={workflow}>
      {({ data: newest }) => (
        <LoadedRecord query={restored}>
          {({ data }) => (
            <EditView key={`${version} ${round}`} newest={newest} from={data} step={step} onAgain={again} />
          )}
        </LoadedRecord>
      )}
    </LoadedRecord>
  );
}

interface EditViewProps {
  newest: Workflow;
  from: Workflow;
  step: string | undefined;
  onAgain: () => void;
}

function EditView({ newest, from, step, onAgain }: EditViewProps) {
  const text = definitionText(from.definition);
  return (
    <>
      {from.version < newest.version && (
        <Hint>
          <p>
            This is the definition of version {from.version}. Publishing it creates version {newest.version + 1}. Older
            versions are kept.
          </p>
        </Hint>
      )}
      <Editor
        text={text}
        line={step === undefined ? undefined : lineOfStep(text, step)}
        note={from.version < newest.version ? `Restores version ${from.version}` : ''}
        base={newest}
        onAgain={onAgain}
      />
    </>
  );
}
