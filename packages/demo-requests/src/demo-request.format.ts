import type { Form } from '@relata/channel';
import type { Claim } from './demo-request-claim.sql.ts';
import type { DemoRequest } from './demo-request.sql.ts';

/**
 * Returns the form that the team's channel shows. It names the organization, because one channel serves all
 * organizations.
 */
export function demoRequestForm(
  request: DemoRequest,
  { organization, before }: Pick<Claim, 'organization' | 'before'>,
): Form {
  const isRepeat = before === 'sent' || before === 'in_doubt';
  const { id, name, work_email: workEmail, company, team_size: teamSize, crm, use_case: useCase, message } = request;
  const fields = {
    Organization: organization,
    Name: name,
    'Work email': workEmail,
    Company: company,
    'Team size': teamSize,
    CRM: crm,
  };
  return {
    title: isRepeat ? 'Demo request, sent again' : 'Demo request',
    fields: Object.entries({ ...fields, 'Use case': useCase }).map(([label, value]) => ({ label, value: value ?? '' })),
    note: message === null ? undefined : { label: 'Message', text: message },
    whole: `relata demo-requests show ${id}`,
  };
}
