import { Route, Router } from "@solidjs/router";
import { QueryClientProvider } from "@tanstack/solid-query";
import { type Component, lazy } from "solid-js";
import { queryClient } from "./data/query.ts";
import { HomePage } from "./pages/home.tsx";
import { LoginPage } from "./pages/login.tsx";
import { NotFoundPage } from "./pages/not-found.tsx";
import { AppShell } from "./ui/app-shell.tsx";

/** A page that is loaded when it is first visited. */
const page = (load: () => Promise<Component>): Component => lazy(async () => ({ default: await load() }));

const PasswordPage = page(async () => (await import("./pages/password.tsx")).PasswordPage);
const WorkspacesPage = page(async () => (await import("./pages/workspaces.tsx")).WorkspacesPage);
const OverviewPage = page(async () => (await import("./pages/overview.tsx")).OverviewPage);
const ChatsPage = page(async () => (await import("./pages/chats/chats.tsx")).ChatsPage);
const ApprovalsPage = page(async () => (await import("./pages/approvals/approvals.tsx")).ApprovalsPage);
const RunsPage = page(async () => (await import("./pages/runs/runs.tsx")).RunsPage);
const RunPage = page(async () => (await import("./pages/runs/run.tsx")).RunPage);
const SourcesPage = page(async () => (await import("./pages/sources/sources.tsx")).SourcesPage);
const NewSourcePage = page(async () => (await import("./pages/sources/new.tsx")).NewSourcePage);
const SourcePage = page(async () => (await import("./pages/sources/source.tsx")).SourcePage);
const SettingsPage = page(async () => (await import("./pages/settings/settings.tsx")).SettingsPage);
const AdminToolsPage = page(async () => (await import("./pages/admin/tools.tsx")).AdminToolsPage);
const AdminPoliciesPage = page(async () => (await import("./pages/admin/policies.tsx")).AdminPoliciesPage);
const AdminModelsPage = page(async () => (await import("./pages/admin/models/models.tsx")).AdminModelsPage);
const AdminMcpPage = page(async () => (await import("./pages/admin/mcp.tsx")).AdminMcpPage);
const AdminLimitsPage = page(async () => (await import("./pages/admin/limits.tsx")).AdminLimitsPage);
const AdminDeadLettersPage = page(async () => (await import("./pages/admin/dead-letters.tsx")).AdminDeadLettersPage);
const AdminUsersPage = page(async () => (await import("./pages/admin/users.tsx")).AdminUsersPage);
const MePage = page(async () => (await import("./pages/me.tsx")).MePage);

/** Every address of the app. Pages mirror the paths. */
export const App = () => (
  <QueryClientProvider client={queryClient}>
    <Router>
      <Route path="/login" component={LoginPage} />
      <Route path="/password" component={PasswordPage} />
      <Route path="/" component={AppShell}>
        <Route path="/" component={HomePage} />
        <Route path="/workspaces" component={WorkspacesPage} />
        <Route path="/w/:ws" component={OverviewPage} />
        <Route path="/w/:ws/chats/:chat?" component={ChatsPage} />
        <Route path="/w/:ws/approvals/:id?" component={ApprovalsPage} />
        <Route path="/w/:ws/runs" component={RunsPage} />
        <Route path="/w/:ws/runs/:run" component={RunPage} />
        <Route path="/w/:ws/sources" component={SourcesPage} />
        <Route path="/w/:ws/sources/new" component={NewSourcePage} />
        <Route path="/w/:ws/sources/:id" component={SourcePage} />
        <Route path="/w/:ws/settings" component={SettingsPage} />
        <Route path="/approvals/:id?" component={ApprovalsPage} />
        <Route path="/admin/tools" component={AdminToolsPage} />
        <Route path="/admin/policies" component={AdminPoliciesPage} />
        <Route path="/admin/mcp" component={AdminMcpPage} />
        <Route path="/admin/models" component={AdminModelsPage} />
        <Route path="/admin/limits" component={AdminLimitsPage} />
        <Route path="/admin/dead-letters" component={AdminDeadLettersPage} />
        <Route path="/admin/users" component={AdminUsersPage} />
        <Route path="/me" component={MePage} />
        <Route path="*" component={NotFoundPage} />
      </Route>
    </Router>
  </QueryClientProvider>
);
