import type { Form } from '@relata/channel';
import type { DemoRequest } from './demo-request.sql.ts';

/** A request as the team reads it in the channel. */
export function formOf(request: DemoRequest, { isRepeat }: { isRepeat: boolean }): Form {
  const { id, name, work_email: workEmail, company, team_size: teamSize, crm, use_case: useCase, message } = request;
  const fields = { Name: name, 'Work email': workEmail, Company: company, 'Team size': teamSize, CRM: crm };
  return {
    title: isRepeat ? 'Demo request, sent again' : 'Demo request',
    fields: Object.entries({ ...fields, 'Use case': useCase }).map(([label, value]) => ({ label, value: value ?? '' })),
    note: message === null ? undefined : { label: 'Message', text: message },
    whole: `relata demo-requests show ${id}`,
  };
}
