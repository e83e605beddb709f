// SPDX-FileCopyrightText: The inertia_tools authors
// SPDX-License-Identifier: Apache-2.0
//
// What libsdformat reads from files: for each, its errors, and mass, centre of mass and tensor of every link in link
// axes, with the names of its shapes, as one line of JSON. With --repeat N each file is loaded N times, and the shortest time is told.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>

#include <sdf/sdf.hh>

using Clock = std::chrono::steady_clock;

// Text as a JSON string.
static std::string Quoted(const std::string &text)
{
  std::string quoted = "\"";
  for (const unsigned char letter : text)
  {
    if (letter == '"' || letter == '\\')
      quoted += std::string("\\") + static_cast<char>(letter);
    else if (letter < 0x20)
      quoted += ' ';
    else
      quoted += static_cast<char>(letter);
  }
  return quoted + "\"";
}

// A number that reads back to the last bit.
static std::string Number(double value)
{
  char text[32];
  std::snprintf(text, sizeof(text), "%.17g", value);
  return text;
}

// The names of things as a list in JSON.
template <typename At>
static std::string Names(uint64_t count, At at)
{
  std::string text;
  for (uint64_t i = 0; i < count; ++i)
    text += (i > 0 ? ", " : "") + Quoted(at(i)->Name());
  return "[" + text + "]";
}

static std::string Inertial(const sdf::Link &link)
{
  const auto &inertial = link.Inertial();
  const auto com = inertial.Pose().Pos();
  const auto tensor = inertial.Moi();
  std::string text = "{\"mass\": " + Number(inertial.MassMatrix().Mass()) + ", \"com\": [" + Number(com.X()) + ", " +
                     Number(com.Y()) + ", " + Number(com.Z()) + "], \"inertia\": [";
  for (int row = 0; row < 3; ++row)
    for (int column = row; column < 3; ++column)
      text += (row + column > 0 ? ", " : "") + Number(tensor(row, column));
  return text + "], \"collisions\": " + Names(link.CollisionCount(), [&](uint64_t i) { return link.CollisionByIndex(i); }) +
         ", \"visuals\": " + Names(link.VisualCount(), [&](uint64_t i) { return link.VisualByIndex(i); }) + "}";
}

// The links of a model and of those in it, each with a comma before.
static std::string Links(const sdf::Model &model, const std::string &prefix)
{
  std::string text;
  for (uint64_t i = 0; i < model.LinkCount(); ++i)
  {
    const auto *link = model.LinkByIndex(i);
    text += ", " + Quoted(prefix + link->Name()) + ": " + Inertial(*link);
  }
  for (uint64_t i = 0; i < model.ModelCount(); ++i)
  {
    const auto *inner = model.ModelByIndex(i);
    text += Links(*inner, prefix + inner->Name() + "::");
  }
  return text;
}

static std::string AllLinks(const sdf::Root &root)
{
  std::string text;
  if (root.Model() != nullptr)
    text += Links(*root.Model(), "");
  for (uint64_t w = 0; w < root.WorldCount(); ++w)
  {
    const auto *world = root.WorldByIndex(w);
    for (uint64_t i = 0; i < world->ModelCount(); ++i)
      text += Links(*world->ModelByIndex(i), world->ModelByIndex(i)->Name() + "::");
  }
  return text.empty() ? text : text.substr(2);
}

int main(int argc, char **argv)
{
  int repeats = 1;
  int first = 1;
  if (argc > 2 && std::string(argv[1]) == "--repeat")
  {
    repeats = std::atoi(argv[2]);
    first = 3;
  }
  sdf::Console::Instance()->SetQuiet(true);
  for (int i = first; i < argc; ++i)
  {
    double shortest = std::numeric_limits<double>::infinity();
    std::string errors;
    std::string links;
    for (int n = 0; n < repeats; ++n)
    {
      sdf::Root root;
      const auto start = Clock::now();
      const auto found = root.Load(argv[i]);
      shortest = std::min(shortest, std::chrono::duration<double>(Clock::now() - start).count());
      errors.clear();
      for (const auto &error : found)
        errors += (errors.empty() ? "" : ", ") + Quoted(error.Message());
      links = AllLinks(root);
    }
    std::printf("{\"file\": %s, \"seconds\": %s, \"errors\": [%s], \"links\": {%s}}\n", Quoted(argv[i]).c_str(),
                Number(shortest).c_str(), errors.c_str(), links.c_str());
  }
  return 0;
}
