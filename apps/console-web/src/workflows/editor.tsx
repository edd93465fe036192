import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { ApiFailure } from '../api/failure.ts';
import { refresh } from '../api/queries.ts';
import type { PublishedWorkflow, Workflow } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { Panel } from '../shell/page.tsx';
import { Button } from '../ui/controls/button.tsx';
import { CliCommand } from '../ui/controls/copy.tsx';
import { TextField } from '../ui/controls/field.tsx';
import { Form, SubmitButton } from '../ui/controls/form.tsx';
import { option, relata } from '../ui/controls/shell-command.ts';
import { ActionButton } from '../ui/controls/action-button.tsx';
import { Hint } from '../ui/data/error-alert.tsx';
import { useUnsaved } from '../ui/unsaved.ts';
import { definitionElement, DefinitionField, goToLine, selectIn } from './definition-field.tsx';
import { definitionText } from './definition-text.ts';
import { Diff } from './diff.view.tsx';
import { Checked, type Verdict } from './fault-list.tsx';
import type { GuideExample, GuideStep } from './guide/guide.ts';
import { Guide } from './guide/guide.view.tsx';
import guideCss from './guide/guide.module.css';
import { insertStep } from './guide/insert-step.ts';
import { NameTaken } from './name-taken.tsx';
import { Published } from './published.view.tsx';
import { Stale } from './stale.view.tsx';
import { nameIn, withName } from './workflow-name.ts';
import css from './workflows.module.css';

interface EditorProps {
  /** Line to select at first. */
  line?: number | undefined;
  /** Initial text; the line, the note and the base are initial values too. */
  text: string;
  note?: string;
  /** The version from which the text was made; undefined for a new workflow. */
  base?: Workflow;
  onAgain?: () => void;
}

/** The person's replaced text, the reason in words, and the text that replaced it. */
interface Replaced {
  text: string;
  why: string;
  replacement: string;
}

type Outcome = { published: PublishedWorkflow } | { verdict: Verdict } | { newest: Workflow };

/** Edits a definition as text and publishes it. A refusal never discards the input. */
export function Editor({ line, text: begun, note: noted = '', base: given, onAgain }: EditorProps) {
  const { id: org, call } = useOrg();
  const params = { id: given?.id ?? '' };
  const [first] = useState({ text: begun, note: noted });
  const [{ text, note }, setDraft] = useState(first);
  const [firstLine] = useState(line);
  const [base, setBase] = useState(given);
  const [verdict, setVerdict] = useState<Verdict>();
  const [stale, setStale] = useState<Workflow>();
  const [replaced, setReplaced] = useState<readonly Replaced[]>([]);
  const [isSending, setSending] = useState(false);
  const [published, setPublished] = useState<PublishedWorkflow>();
  const [isComparing, setComparing] = useState(false);
  useEffect(() => {
    if (firstLine !== undefined) goToLine(firstLine);
  }, [firstLine]);
  useUnsaved(() => !published && (text !== first.text || note !== first.note), { lostWith: 'version' });

  async function send(baseVersion: number): Promise<Outcome> {
    // Makes the fields read-only, because the editor closes after publishing and would lose input typed until then.
    setSending(true);
    try {
      const body = { text, ...(note && { note }) };
      const { data } = await (given
        ? call('publishWorkflow', { params, body: { ...body, base_version: baseVersion } })
        : call('createWorkflow', { body }));
      return { published: data };
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      if (error.faults.length > 0) return { verdict: { text, faults: error.faults, warnings: [] } };
      // Somebody else has published meanwhile.
      if (error.newestVersion !== undefined && given) return { newest: (await call('getWorkflow', { params })).data };
      throw error;
    } finally {
      setSending(false);
    }
  }

  function show(outcome: Outcome): void {
    setStale('newest' in outcome ? outcome.newest : undefined);
    // A definition that was refused only because its base is outdated has no errors.
    setVerdict('verdict' in outcome ? outcome.verdict : undefined);
    if (!('published' in outcome)) return;
    setPublished(outcome.published);
    void refresh('listWorkflows', 'getWorkflow', 'listWorkflowVersions');
  }

  const check = async () => {
    const { data } = await call('checkWorkflow', { body: { text } });
    setVerdict({ text, ...data });
  };

  const insert = (step: GuideStep) => {
    const inserted = insertStep(text, definitionElement()?.selectionStart ?? text.length, step);
    // Renders immediately, so that the inserted text can be selected.
    flushSync(() => setDraft({ text: inserted.text, note }));
    selectIn(inserted.start, inserted.end);
  };

  const replace = (replacement: string, why: string) => {
    const last = replaced.at(-1);
    // Does not keep an unchanged example, which is not the person's own text.
    const next = last?.replacement === text ? { ...last, why, replacement } : { text, why, replacement };
    setReplaced([...(next.text === last?.text ? replaced.slice(0, -1) : replaced), next]);
    setDraft({ text: replacement, note });
    setVerdict(undefined);
  };

  const useExample = (example: GuideExample) => {
    // Each version keeps the name of its workflow.
    const name = base ? nameIn(definitionText(base.definition)) : undefined;
    const written = definitionText(example);
    replace(name === undefined ? written : withName(written, name), `This is the example ${example.name}.`);
  };

  if (published) return <Published what={published} onAgain={onAgain} />;
  const baseText = base && definitionText(base.definition);
  const next = (base?.version ?? 0) + 1;
  const own = replaced.at(-1);
  return (
    <>
      {stale && base && (
        <Stale
          base={base}
          newest={stale}
          mine={text}
          publishMine={async () => show(await send(stale.version))}
          takeTheirs={() => {
            replace(definitionText(stale.definition), `This is the text of version ${stale.version}.`);
            setBase(stale);
            setStale(undefined);
          }}
        />
      )}
      {!base && <NameTaken text={text} onRename={(changed) => setDraft({ text: changed, note })} />}
      {own && (
        <Hint>
          <p>{own.why} Your own text is kept until you leave the page.</p>
          <Button
            onClick={() => {
              setDraft({ text: own.text, note });
              setReplaced(replaced.slice(0, -1));
            }}
          >
            Restore my text
          </Button>
        </Hint>
      )}
      <div className={guideCss.beside}>
        <Panel>
          <div className={css.editor}>
            <Form label="Definition" isThrowaway send={() => send(base?.version ?? 0)} onDone={show}>
              <DefinitionField
                text={text}
                faults={verdict?.faults ?? []}
                marked={text === first.text ? line : undefined}
                isReadOnly={isSending}
                onChange={(changed) => setDraft({ text: changed, note })}
              />
              {verdict && <Checked verdict={verdict} isOld={verdict.text !== text} />}
              <TextField
                name="note"
                label="Note"
                hint="Shown in the version history."
                value={note}
                readOnly={isSending}
                onChange={(event) => setDraft({ text, note: event.target.value })}
              />
              <div className={css.acts}>
                <ActionButton run={check}>Check</ActionButton>
                {baseText !== undefined && (
                  <Button aria-expanded={isComparing} onClick={() => setComparing(!isComparing)}>
                    {isComparing ? 'Hide changes' : 'Show changes'}
                  </Button>
                )}
                <SubmitButton variant="primary">{`Publish version ${next}`}</SubmitButton>
              </div>
              <p className={css.note}>New runs use this version immediately. Current runs finish with their version.</p>
              <CliCommand command={commandOf(org, next - 1, note)} />
            </Form>
          </div>
        </Panel>
        <Guide onInsert={insert} onUse={useExample} />
      </div>
      {isComparing && base && baseText !== undefined && (
        <Panel title={`Changes since version ${base.version}`}>
          <Diff label="Changes" before={baseText} after={text} />
        </Panel>
      )}
    </>
  );
}

const commandOf = (org: string, base: number, note: string) =>
  relata(
    'workflows',
    'apply',
    'FILE.json',
    ...option('org', org),
    ...option('base', String(base)),
    ...(note ? option('note', note) : []),
  );
