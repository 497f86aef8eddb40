import { NothingHere } from "../ui/nothing-here.tsx";
import { Page } from "../ui/page.tsx";

/** An address that leads nowhere. */
export const NotFoundPage = () => (
  <Page>
    <NothingHere />
  </Page>
);
