import { stemmer } from 'stemmer';

/**
 * Words with the same meaning in questions about software and its vendor. Each line is a group. A word may be in
 * several groups. The groups are common in this field, and not specific to one company's pages.
 */
const groups = `
price pricing cost fee charge rate tariff
price cheapest
price quote quotation
expensive cheap cheaper affordable price discount
discount reduction coupon voucher promo offer saving volume
nonprofit charity ngo
school student education academic
plan tier package edition subscription licence license
upgrade downgrade switch change
upgrade bigger larger higher
downgrade smaller lower cheaper
bill billing invoice receipt
prorate proportional middle
pay payment paid payable purchase buy order
card visa mastercard amex
refund reimburse moneyback guarantee credit compensation compensate
cancel terminate quit unsubscribe end stop leave
renew renewal continue
contract notice term commitment
trial try test evaluate evaluation pilot poc
trial signup register
account signup register
sample demo
expire end finish over
stuff data content
free gratis
demo demonstration presentation
seat user licence license
colleague coworker teammate people
employee staff personnel headcount
rep salesperson salespeople seller user people
customer client buyer
company firm business organization organisation
vendor supplier
ceo founder owner founded
hire hiring job career vacancy vacant position recruit
office location located address headquarters based registered
phone telephone call hotline
reach contact
phone mobile smartphone cellphone handset iphone android
tablet ipad
app application
ios iphone ipad apple
offline disconnected reception signal internet
online internet web
laptop computer windows mac desktop pc
browser chrome firefox safari edge
mail email inbox mailbox message
gmail google
outlook microsoft exchange office365
calendar schedule appointment meeting booking
newsletter mailing campaign marketing bulk
template snippet
notify notification alert remind reminder push
voice dictate speech audio
automation automate workflow automatic
trigger rule
task todo activity
code coding programming programmer developer technical
api rest endpoint interface programmatic
sdk library client
webhook callback
limit quota maximum cap
integration integrate connect connection connector plugin addon sync
sync synchronize synchronization synchronise
import migrate migration transfer move bring
spreadsheet excel csv sheet
duplicate double dedupe merge join twice
export download extract takeout
sandbox staging test testing environment
pipeline funnel board kanban
stage step phase column
deal opportunity lead
stuck stalled stale rotting idle quiet neglected forgotten inactive
highlight colour color mark flag
mandatory required compulsory obligatory
field attribute property column
report analytics statistics stats insight reporting
dashboard overview screen
forecast prediction predict projection
goal target quota
chart graph bars
sso saml
reset forget recover
difference differ compare comparison include
currency dollar pound
erp sap dynamics
safe encrypt certified
login password authentication authenticate
provisioning scim deprovision
directory ldap ad
role permission access right restrict
restrict hide limit permission
admin administrator
security secure safe safety protect protected protection
hack hacked breach breached leak leaked compromised incident attack
encrypt encryption encrypted tls aes
backup restore recover recovery
delete erase remove removal deletion erasure forget
undelete restore recycle undo trash
log audit history
certificate certification certified compliance compliant iso soc
compliance compliant comply gdpr
privacy private personal confidential
gdpr privacy dsgvo
dpa agreement contract
subprocessor processor subcontractor thirdparty
share disclose pass
lawyer legal attorney solicitor
region country location residency
datacentre server hosting hosted host region
store stored kept storage saved
storage space disk gigabyte gb
cloud saas hosted aws azure gcp
onpremises premises install installed
train training course webinar workshop academy learn lesson tutorial video
onboarding setup introduction start kickoff
fast quick speed long
language translation translated interface localized multilingual
support help helpdesk assistance contact
help assistance guidance
ticket request
hour time open opening
hour roundtheclock night
weekend weekday sunday saturday
uptime availability available sla downtime outage down
maintenance downtime
problem issue incident error trouble fail failure break
fail decline reject refuse bounce
response respond answer reply
mess problem
accident mistake
status current
slow performance speed
small little
start begin
sell sale selling
rule condition
lead prospect enquiry inquiry
form contactform
product goods item
supply deliver delivery ship
warehouse stock inventory
manufacturer manufacturing factory producer
wholesale wholesaler distributor distribution reseller
partner agency
roadmap upcoming future coming
release version update changelog new latest ship
feature function capability functionality
idea suggestion suggest request wish feedback
signature sign signing esign esignature
industry sector branch vertical market
serve suit suitable fit
competitor alternative comparison versus
review testimonial reference
tax vat
attachment file document
note comment
search find lookup
year yearly annual annually
month monthly
week weekly
day daily
extra additional hidden further
minimum least
bank wire transfer
manual guide documentation docs handbook reference
token key credential secret
undo revert rollback
combine merge join
tag label
view see look
bulk mass batch
assign owner distribute
deactivate offboard remove
invite add
reliable reliability availability uptime
vulnerability bounty bug
urgent priority emergency
investor funding venture
germany german deutschland
france french
europe european eu
australia australian
netherlands dutch holland
america american usa
britain british england english uk
spain spanish
italy italian
poland polish
japan japanese
portugal portuguese
ai intelligence chatgpt llm gpt model
`;

const related = new Map<string, Set<string>>();
for (const group of groups.trim().split('\n')) {
  const stems = group.split(' ').map(stemmer);
  for (const stem of stems) {
    const others = related.get(stem) ?? new Set();
    for (const other of stems) if (other !== stem) others.add(other);
    related.set(stem, others);
  }
}

/** Returns the stems that may mean the same as this one. */
export function relatedTo(stem: string): Iterable<string> {
  return related.get(stem) ?? [];
}
